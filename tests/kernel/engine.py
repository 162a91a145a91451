"""A real kernel that saves and restores, asked as the launcher asks it."""

from __future__ import annotations

import json
import time
import uuid

from shell import DEADLINE


class Restored:
    """What a restore answered."""

    def __init__(self, ran) -> None:
        self.ran = ran
        assert ran.status == "ok", ran.reply
        self.told = ran.reply["headstart"]["restored"]

    def __getattr__(self, name: str):
        return self.told[name]

    @property
    def reasons(self) -> dict[str, str]:
        return {one["name"]: one["reason"] for one in self.told["skipped"]}


class Engine:
    """A kernel with a store; it knows the checkpoint of each cell."""

    def __init__(self, start, root, **options) -> None:
        self.root = root
        settings = json.dumps({"root": str(root), "session": "main"})
        variable = {"HEADSTART_KERNEL_CHECKPOINTS": settings}
        self.kernel = start(env=variable | options.pop("env", {}), **options)
        self.held: str | None = None
        #: What was said of each checkpoint.
        self.saved: dict[str, dict] = {}

    def send(self, content: dict, own: dict, silent: bool = False) -> str:
        session = self.kernel.client.session
        request = {
            "code": content["code"],
            "silent": silent,
            "store_history": not silent,
            "user_expressions": {},
            "allow_stdin": False,
            "stop_on_error": False,
        }
        message = session.msg("execute_request", request, metadata={"headstart": own})
        self.kernel.client.shell_channel.send(message)
        return message["header"]["msg_id"]

    def ask(self, code: str, ident: str | None = None, parent=...) -> tuple[str, str]:
        """Sends a cell that is to be saved; its message and its checkpoint."""
        ident = ident or uuid.uuid4().hex
        checkpoint = {
            "id": ident,
            "parent": self.held if parent is ... else parent,
            "cell": {"code": code, "id": 1},
        }
        return self.send({"code": code}, {"checkpoint": checkpoint}), ident

    def run(self, code: str, within: float = DEADLINE):
        """A cell that is to be saved; the next one may come before it is."""
        message, ident = self.ask(code)
        ran = self.kernel.finish(message, within=within)
        self.held = ident
        return ran

    def cell(self, code: str) -> str:
        """A cell, and its checkpoint once it is on the disk."""
        ran = self.run(code)
        assert ran.status == "ok", ran.reply
        told = self.told(self.held)
        assert told["error"] is None, told
        return self.held

    def told(self, ident: str) -> dict:
        """What is said of a checkpoint."""
        end = time.monotonic() + DEADLINE
        while ident not in self.saved:
            message = self.kernel.message(end)
            if message["msg_type"] == "headstart_checkpoint":
                self.saved[message["content"]["id"]] = message["content"]
        return self.saved[ident]

    def reasons(self, ident: str) -> dict[str, str]:
        return {one["name"]: one["reason"] for one in self.told(ident)["skipped"]}

    def ask_back(self, *branch: str, by="k1", died=()) -> str:
        restore = {"branch": list(branch), "by": by, "died": list(died)}
        return self.send({"code": "None"}, {"restore": restore}, silent=True)

    def back(self, *branch: str, by="k1", died=()) -> Restored:
        """Restores the first of these checkpoints that can be read."""
        message = self.ask_back(*branch, by=by, died=died)
        restored = Restored(self.kernel.finish(message))
        self.held = restored.told["from"]
        return restored

    def value(self, code: str) -> str:
        """What an expression shows, by a cell that is not saved."""
        ran = self.kernel.run(code)
        assert ran.status == "ok", ran.reply
        return ran.results[0]
