/**
 * A small host of headstart's kernel: a session for each conversation, and histories that outlive the process.
 *
 *     node host.mjs FOLDER
 *
 * Conversations are kept in FOLDER, one file each. A line is a cell; `/go NAME` goes to a conversation, or begins it;
 * `/fork NAME [N]` begins one with the first N cells of this one, or all. Ctrl-C stops the cell, Ctrl-D ends. It needs
 * Node 18 and `hs` on PATH. docs/hosts.md says what the lines mean.
 *
 * @typedef {{type: string, id?: number, session: string, [field: string]: any}} Event  a line of the launcher
 * @typedef {{code: string, status: string, output: string, checkpoint?: string}} Cell  a line of a history
 * @typedef {(event: Event) => void} Show  takes events as they come
 */
import { spawn } from "node:child_process";
import { appendFileSync, fsyncSync, ftruncateSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

/**
 * What ends a request, besides `error`. All else that comes with its id is an event.
 * @type {Record<string, string>}
 */
const ANSWERS = {
  hello: "hello",
  open: "ready",
  run: "result",
  cancel: "cancelled",
  close: "closed",
};

/** A request without an answer. `kind` is that of the protocol, or `gone`: the launcher has ended. */
export class KernelError extends Error {
  /** @param {string} kind @param {string} message */
  constructor(kind, message) {
    super(`${kind}: ${message}`);
    this.kind = kind;
  }
}

/** `hs kernel serve`. */
export class Launcher {
  /** @type {Map<number, {take: Show, fail: (error: Error) => void}>} */
  #waiting = new Map();
  #last = 0;
  #rest = "";
  #process;
  #heard;
  /** @type {KernelError | undefined} */
  #gone;
  /** @type {Promise<void>} */
  #ended;

  /** @param {string[]} command @param {Show} heard gets the events that belong to no request */
  constructor(command = ["hs", "kernel", "serve"], heard = () => {}) {
    this.#heard = heard;
    this.#process = spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "inherit"] });
    // Whole characters also where a piece ends inside one.
    this.#process.stdout.setEncoding("utf8").on("data", (piece) => this.#read(piece));
    // What a launcher that ended does not take is told when its output ends.
    this.#process.stdin.on("error", () => {});
    this.#ended = new Promise((resolve) => {
      const end = (/** @type {string} */ why) => {
        this.#gone ??= new KernelError("gone", why);
        for (const { fail } of this.#waiting.values()) fail(this.#gone);
        this.#waiting.clear();
        resolve();
      };
      this.#process.on("error", (error) => end(error.message));
      this.#process.on("close", () => end("hs kernel serve has ended"));
    });
  }

  /** Lines end with \n only: `readline` would also cut them at U+2028, which stands in them as it is. @param {string} piece */
  #read(piece) {
    const lines = piece.split("\n");
    lines[0] = this.#rest + lines[0];
    this.#rest = lines.pop() ?? "";
    for (const line of lines) {
      const event = JSON.parse(line);
      (this.#waiting.get(event.id)?.take ?? this.#heard)(event);
    }
  }

  /**
   * Sends a request; gives its id, and what it is answered in time. The events before that go to `show`, as they come.
   * Whoever waits for each answer needs not wait for `drain`: no more is in memory than what waits for one.
   * @param {string} type @param {object} fields @param {Show} show
   * @returns {{id: number, answer: Promise<Event>}}
   */
  send(type, fields = {}, show = () => {}) {
    const id = ++this.#last;
    /** @type {Promise<Event>} */
    const answer = new Promise((resolve, fail) => {
      if (this.#gone) return fail(this.#gone);
      /** @type {Show} */
      const take = (event) => {
        if (event.type !== ANSWERS[type] && event.type !== "error") return show(event);
        this.#waiting.delete(id);
        if (event.type === "error") fail(new KernelError(event.kind, event.message));
        else resolve(event);
      };
      this.#waiting.set(id, { take, fail });
      this.#process.stdin.write(`${JSON.stringify({ type, id, ...fields })}\n`);
    });
    return { id, answer };
  }

  /** Sends a request and waits for its answer. @param {string} type @param {object} fields */
  ask(type, fields = {}) {
    return this.send(type, fields).answer;
  }

  /** Ends all sessions, when their checkpoints are on the disk, and the launcher. */
  async close() {
    await this.ask("close").catch(() => {});
    this.#process.stdin.end();
    await this.#ended;
  }
}

/**
 * Cells with their checkpoints, in a file. It goes on from its last cell, whatever became of kernel, launcher and host.
 * It has a session of its own, and so a kernel.
 */
export class Conversation {
  /** @type {number | undefined} */
  #running;
  /** @type {Cell[]} */
  cells = [];

  /**
   * @param {Launcher} launcher @param {string} name @param {string} folder
   * @param {object} how fields of `open`, such as `cwd` and `env`
   */
  static async open(launcher, name, folder, how = {}) {
    // First, since it refuses what is no name.
    await launcher.ask("open", { session: name, ...how });
    return new Conversation(launcher, name, folder);
  }

  /** @private @param {Launcher} launcher @param {string} name @param {string} folder */
  constructor(launcher, name, folder) {
    this.launcher = launcher;
    this.name = name;
    this.folder = folder;
    const path = join(folder, `${name}.jsonl`);
    this.file = openSync(path, "a+");
    const lines = readFileSync(path);
    // A host that was killed while it wrote leaves a part of a line.
    const whole = lines.subarray(0, lines.lastIndexOf("\n") + 1);
    ftruncateSync(this.file, whole.length);
    this.cells = whole.toString().split("\n").slice(0, -1).map((line) => JSON.parse(line));
  }

  /** Its checkpoints, newest first. @returns {string[]} */
  get branch() {
    return this.cells.flatMap((cell) => cell.checkpoint ?? []).reverse();
  }

  /**
   * Runs a cell, one at a time; its events go to `show`. It is in the file before anybody sees the result.
   * @param {string} code @param {Show} show
   */
  async run(code, show = () => {}) {
    const request = { session: this.name, code, branch: this.branch };
    const { id, answer } = this.launcher.send("run", request, show);
    this.#running = id;
    const result = await answer.finally(() => (this.#running = undefined));
    const { status, output, checkpoint } = result;
    this.#keep([{ code, status, output, checkpoint }]);
    return result;
  }

  /** Stops the cell that runs: its `run` gives a result with the error KeyboardInterrupt. Gives false if none runs. */
  async cancel() {
    const run = this.#running;
    if (run !== undefined) await this.launcher.ask("cancel", { session: this.name, run });
    return run !== undefined;
  }

  /**
   * A new conversation that begins with the first cells of this one; all, if no number is given.
   * @param {string} name @param {number} [cells] @param {object} [how]
   */
  async fork(name, cells, how) {
    const other = await Conversation.open(this.launcher, name, this.folder, how);
    if (other.cells.length) throw new Error(`expected a new name, found a conversation ${name}`);
    other.#keep(this.cells.slice(0, cells));
    return other;
  }

  /** @param {Cell[]} cells */
  #keep(cells) {
    appendFileSync(this.file, cells.map((cell) => `${JSON.stringify(cell)}\n`).join(""));
    fsyncSync(this.file);
    this.cells.push(...cells);
  }
}

/** Shows an event to a person. Notices are left to the result, which has all of them. @type {Show} */
function show(event) {
  if (event.type === "output") process.stdout.write(event.text);
  else if (event.type === "image") console.log(`(a figure, ${event.mime})`);
  else if (event.type === "lost") console.error(event.reason);
}

/** Lines of standard input are cells. @param {string} folder */
async function main(folder) {
  mkdirSync(folder, { recursive: true });
  const launcher = new Launcher(undefined, show);
  let now = await Conversation.open(launcher, "main", folder);
  const known = new Map([["main", now]]);
  const lines = createInterface({ input: process.stdin });
  process.on("SIGINT", async () => (await now.cancel().catch(() => true)) || lines.close());
  const prompt = () => process.stdout.write(`${now.name} ${now.cells.length}> `);
  prompt();
  for await (const line of lines) {
    const [word, name, count] = line.trim().split(/\s+/);
    try {
      if (word === "/go") now = known.get(name) ?? (await Conversation.open(launcher, name, folder));
      else if (word === "/fork") now = await now.fork(name, count ? Number(count) : undefined);
      else if (word) for (const { text } of (await now.run(line, show)).notices) console.error(text);
      known.set(now.name, now);
    } catch (error) {
      console.error(error instanceof Error ? error.message : error);
      if (error instanceof KernelError && error.kind === "gone") {
        process.exitCode = 1;
        break;
      }
    }
    prompt();
  }
  lines.close();
  await launcher.close();
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main(process.argv[2] ?? "conversations");
