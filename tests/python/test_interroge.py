"""interroge in Python and in the shell, against the scripted server: the same decisions, words and figures in both."""

import datetime as dt
import json
import os
import signal
import subprocess
import sys
import threading
import time
from decimal import Decimal
from pathlib import Path

import numpy
import pandas as pd
import pytest
from google.api_core.client_options import ClientOptions
from google.cloud.bigquery import Client, QueryJobConfig
from google.oauth2.service_account import Credentials
from scripted_bigquery import ScriptedBigQuery

import headstart as hs

HS = Path(sys.executable).parent / "hs"
NAMES = "SELECT name FROM d.names"
JOINED = "SELECT a.id FROM d.a JOIN d.b USING (id)"


def shell(*arguments: str, **more) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [HS, "interroge", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        **more,
    )


ESTIMATES = {
    NAMES: "SELECT  65935918 bytes (62.9 MiB)",
    "SELECT 1 AS x": "SELECT  0 bytes",
    "SELECT * FROM d.clustered": "SELECT  at most 53687091200 bytes (50.0 GiB)",
    "SELECT * FROM d.ext": "SELECT  at least 0 bytes (external data is not estimated)",
    "CREATE TABLE d.new (x INT64)": "CREATE_TABLE  0 bytes",
    "DELETE FROM d.names WHERE true": "DELETE  65935918 bytes (62.9 MiB)",
    "SELECT all_types": "SELECT  400 bytes",
    "DECLARE x INT64; SELECT name FROM d.names": "SCRIPT  at least 65935918 bytes (62.9 MiB)",
}


@pytest.mark.parametrize("sql", ESTIMATES)
def test_without_a_cap_only_the_estimate(bigquery: ScriptedBigQuery, capsys, sql):
    assert hs.interroge(sql) is None
    said = capsys.readouterr().out.splitlines()
    done = shell(sql)
    assert said[0] == ESTIMATES[sql]
    assert done.stdout.splitlines()[:2] == said[:2]
    assert (done.returncode, done.stderr) == (0, "")
    assert all(
        entry["body"]["configuration"]["dryRun"] is True
        for entry in bigquery.log("POST", "/jobs")
    )
    assert bigquery.jobs() == []
    estimate = hs.last_estimate()
    assert str(estimate.bytes) in said[0]
    assert estimate.statement == said[0].split()[0]


@pytest.mark.parametrize("sql", [*ESTIMATES, JOINED, "SELECT * FROM d.remote"])
def test_googles_client_says_the_same(bigquery, sql):
    credentials = Credentials.from_service_account_file(
        bigquery.about["service_account"]
    )
    client = Client(
        project="p1",
        credentials=credentials,
        client_options=ClientOptions(api_endpoint=bigquery.url),
    )
    config = QueryJobConfig(dry_run=True, use_query_cache=False)
    theirs = client.query(sql, job_config=config)
    hs.interroge(sql)
    ours = hs.last_estimate()
    assert ours.bytes == theirs.total_bytes_processed
    assert ours.statement == theirs.statement_type
    assert ours.location == theirs.location
    tables = {
        f"{one.project}.{one.dataset_id}.{one.table_id}"
        for one in theirs.referenced_tables
    }
    assert set(ours.tables) == tables


def test_the_estimate_as_data(bigquery):
    done = shell(JOINED, "--format", "json")
    [row] = json.loads(done.stdout)["data"]
    assert row == {
        "statement": "SELECT",
        "bytes": 163_595_928,
        "accuracy": "precise",
        "tables": ["p1.d.a", "p1.d.b"],
        "location": "US",
    }
    hs.interroge(JOINED)
    assert vars(hs.last_estimate()) == {**row, "tables": tuple(row["tables"])}


def test_a_price_is_told(bigquery, capsys):
    hs.interroge("SELECT * FROM d.clustered", price=6.25)
    line = "costs at most 0.31 USD at 6.25 USD for a TiB"
    assert line in capsys.readouterr().out.splitlines()
    done = shell("SELECT * FROM d.clustered", "--price", "6.25")
    assert line in done.stdout.splitlines()
    for wrong in (True, "6", [6], 1j):
        with pytest.raises(hs.TypeMismatchError, match="price"):
            hs.interroge(NAMES, price=wrong)
    for wrong in (0, -1, 10**400, float("nan")):
        with pytest.raises(hs.ArgumentError, match="price"):
            hs.interroge(NAMES, price=wrong)
    [row] = json.loads(shell(NAMES, "--price", "6.25", "--format", "json").stdout)[
        "data"
    ]
    assert row["usd"] == pytest.approx(63 / 2**20 * 6.25)


def test_with_a_cap_rows_and_the_bill(bigquery, capsys):
    names = hs.interroge(NAMES, cap="20 GB")
    said = capsys.readouterr().out
    assert isinstance(names, pd.DataFrame)
    assert len(names) == 25
    assert "billed 66060288 bytes (63.0 MiB)" in said
    [job] = bigquery.jobs()
    assert (job["cap"], job["billed"]) == (20_000_000_000, 66_060_288)
    assert job["id"] in said
    done = shell(NAMES, "--cap", "20 GB", "--format", "csv")
    assert done.returncode == 0
    assert "billed 66060288 bytes (63.0 MiB)" in done.stderr
    assert done.stdout.splitlines() == ["name", *names["name"]]


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_the_frame_is_of_the_library_that_is_set(bigquery, library):
    hs.options.frames = library
    hs.options.quiet = True
    frame = hs.interroge("SELECT id, name FROM d.tiny", cap="1 GB")
    assert type(frame).__module__.split(".")[0] == library
    ids = frame["id"].to_pylist() if library == "pyarrow" else list(frame["id"])
    assert ids == [1, 2]


REFUSED = [
    (NAMES, 1_000_000, 66_060_288, "the query needs at least 66060288 bytes"),
    (JOINED, 163_595_928, 164_626_432, "the query needs at least 164626432 bytes"),
    (JOINED, 170_000_000, 174_063_616, "174063616 or higher required"),
    ("SELECT * FROM d.clustered", "1 GiB", 53_687_091_200, "up to 53687091200 bytes"),
    ("SELECT * FROM d.tiny", "10 MB", 10_485_760, "BigQuery bills at least 10 MiB"),
]


@pytest.mark.parametrize(("sql", "cap", "required", "words"), REFUSED)
def test_over_the_cap(bigquery, sql, cap, required, words):
    with pytest.raises(hs.CapError, match=words) as caught:
        hs.interroge(sql, cap=cap)
    error = caught.value
    assert isinstance(error, ValueError)
    assert error.required == required
    assert error.hint.startswith('cap="')
    done = shell(sql, "--cap", str(cap))
    assert (done.returncode, done.stdout) == (3, "")
    assert words in done.stderr
    assert "--cap '" in done.stderr
    assert sum(job["billed"] for job in bigquery.jobs()) == 0


def test_a_script_is_refused_with_a_cap(bigquery):
    script = "DECLARE x INT64; SELECT name FROM d.names"
    with pytest.raises(hs.ArgumentError, match="a script cannot be capped"):
        hs.interroge(script, cap="1 GB")
    done = shell(script, "--cap", "1 GB")
    assert (done.returncode, done.stdout) == (2, "")
    assert bigquery.jobs() == []


def test_statements_without_rows(bigquery, capsys):
    assert hs.interroge("DELETE FROM d.names WHERE true", cap="1 GB") is None
    assert "25 rows changed" in capsys.readouterr().out.splitlines()
    done = shell("DELETE FROM d.names WHERE true", "--cap", "1 GB", "--format", "json")
    [row] = json.loads(done.stdout)["data"]
    assert (row["changed"], row["billed"]) == (25, 66_060_288)


CAPS = {
    "20gb": 20_000_000_000,
    "20 Go": 20_000_000_000,
    "20_000_000_000": 20_000_000_000,
    "20 GiB": 21_474_836_480,
    "1.5 TiB": 1_649_267_441_664,
    10_485_760: 10_485_760,
}


@pytest.mark.parametrize("cap", CAPS)
def test_what_a_cap_may_be(bigquery, cap):
    hs.interroge("SELECT * FROM d.tiny", cap=cap)
    assert bigquery.jobs()[-1]["cap"] == CAPS[cap]


def test_a_cap_of_numpy_is_a_number(bigquery):
    hs.interroge("SELECT 1 AS x", cap=numpy.int64(7))
    assert bigquery.jobs()[-1]["cap"] == 7


WRONG_CAPS = {
    "zero": 0,
    "zero in text": "0",
    "negative": -1,
    "empty": "",
    "comma": "1,5 GB",
    "exponent": "1e9",
    "unit": "20 XB",
    "large": 2**63,
    "huge": 10**5000,
    "bool": True,
    "float": 1.5,
    "bytes": b"1",
    "list": [1],
    "array": pd.array([1, 2]).to_numpy(),
    "surrogate": "\ud800",
}


@pytest.mark.parametrize("cap", WRONG_CAPS.values(), ids=WRONG_CAPS)
def test_what_a_cap_may_not_be(bigquery, cap):
    with pytest.raises((hs.ArgumentError, hs.TypeMismatchError), match="cap"):
        hs.interroge(NAMES, cap=cap)
    assert bigquery.log() == []
    if isinstance(cap, str) and cap.isascii():
        done = shell(NAMES, f"--cap={cap}")
        assert (done.returncode, done.stdout) == (2, "")
    assert bigquery.log() == []


def test_what_bigquery_refuses(bigquery):
    with pytest.raises(hs.QueryError, match="Unexpected identifier") as caught:
        hs.interroge("SELEC 1", cap="1 GB")
    assert "SELEC 1" in caught.value.hint
    with pytest.raises(hs.QueryError, match="Not found: Table p1:d.zzz"):
        hs.interroge("SELECT * FROM d.zzz")
    with pytest.raises(hs.CredentialsError, match="Access Denied"):
        hs.interroge("SELECT * FROM secret.t")
    done = shell("SELEC 1")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("hs: Syntax error: Unexpected identifier")
    assert bigquery.jobs() == []


@pytest.mark.parametrize("missing", [(0,), (1,), (0, 1)])
def test_every_variable_that_is_not_set_is_named(bigquery, monkeypatch, missing):
    names = ["GOOGLE_APPLICATION_CREDENTIALS", "CLOUDSDK_CORE_PROJECT"]
    for index in missing:
        monkeypatch.delenv(names[index])
    with pytest.raises(hs.CredentialsError) as caught:
        hs.interroge(NAMES)
    for index, name in enumerate(names):
        assert (f"{name} is not set" in str(caught.value)) == (index in missing)
        assert (f"export {name}=" in str(caught.value)) == (index in missing)
    assert isinstance(caught.value, PermissionError)
    done = shell(NAMES)
    assert (done.returncode, done.stdout) == (2, "")
    assert str(caught.value) in done.stderr
    assert bigquery.log() == []


def test_a_key_of_somebody_else(bigquery, monkeypatch):
    path = bigquery.about["wrong_key"]
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", path)
    with pytest.raises(hs.CredentialsError, match="Invalid JWT Signature") as caught:
        hs.interroge(NAMES)
    assert "make a new key" in caught.value.hint
    secret = json.loads(Path(path).read_text())["private_key"].splitlines()[1]
    assert secret not in str(caught.value)


def test_a_key_in_the_place_of_its_path_is_never_shown(bigquery, monkeypatch):
    key = Path(bigquery.about["service_account"]).read_text()
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", key)
    with pytest.raises(hs.CredentialsError, match="expected the path") as caught:
        hs.interroge(NAMES)
    doctors = [[HS, "doctor"], [HS, "doctor", "--format", "json"]]
    runs = [
        subprocess.run(one, capture_output=True, text=True, check=False)
        for one in doctors
    ]
    told = [f"{one.stdout}{one.stderr}" for one in (*runs, shell(NAMES))]
    for text in (repr(caught.value), str(caught.value), *told):
        assert "PRIVATE KEY" not in text
        assert "private_key" not in text


def test_the_estimate_of_a_refused_query_is_kept(bigquery):
    hs.interroge("SELECT 1 AS x")
    with pytest.raises(hs.CapError):
        hs.interroge(NAMES, cap="1 MB")
    assert hs.last_estimate().bytes == 65_935_918
    with pytest.raises(hs.QueryError):
        hs.interroge("SELEC 1")
    assert hs.last_estimate() is None


def test_what_was_billed_stays_with_the_frame(bigquery):
    hs.options.quiet = True
    frame = hs.interroge(NAMES, cap="1 GB")
    notes = frame.attrs["hs"]["notes"]
    assert any("billed 66060288 bytes" in str(note) for note in notes)


def test_nobody_answers_until_the_deadline(bigquery, monkeypatch):
    monkeypatch.setenv("HEADSTART_BIGQUERY_DEADLINE", "1")
    bigquery.fault(method="POST", path="*/jobs", status=503, times=None)
    with pytest.raises(hs.ServiceError, match="answers 503") as caught:
        hs.interroge(NAMES)
    assert isinstance(caught.value, ConnectionError)
    assert "\n" not in caught.value.message
    assert shell(NAMES).returncode == 2


def test_doctor_says_what_is_set(bigquery, monkeypatch):
    def doctor() -> dict[str, tuple[bool, str]]:
        command = [HS, "doctor", "--format", "json"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        rows = json.loads(done.stdout)["data"]
        return {row["check"]: (row["ok"], row["found"]) for row in rows}

    path = bigquery.about["service_account"]
    found = doctor()
    assert found["GOOGLE_APPLICATION_CREDENTIALS"] == (
        True,
        f"{path} (service_account)",
    )
    assert found["CLOUDSDK_CORE_PROJECT"] == (True, "p1")
    assert found["BIGQUERY_EMULATOR_HOST"] == (True, bigquery.url)
    assert bigquery.log() == []
    monkeypatch.delenv("CLOUDSDK_CORE_PROJECT")
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", "/no/such/file.json")
    found = doctor()
    assert not found["CLOUDSDK_CORE_PROJECT"][0]
    assert found["GOOGLE_APPLICATION_CREDENTIALS"][0] is False
    assert "no such file" in found["GOOGLE_APPLICATION_CREDENTIALS"][1]


def wait_for_job(bigquery: ScriptedBigQuery) -> None:
    deadline = time.monotonic() + 20
    while not bigquery.jobs():
        assert time.monotonic() < deadline, "no job was started"


def test_an_interrupt_cancels_the_job(bigquery, request):
    def interrupt() -> None:
        wait_for_job(bigquery)
        os.kill(os.getpid(), signal.SIGINT)

    # A test run that a shell started in the background ignores the signal.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, before))
    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt) as caught:
        hs.interroge("SELECT slow(60)", cap="1 GB")
    thread.join()
    [note] = caught.value.__notes__
    assert note == f"stopped; BigQuery stops job {bigquery.jobs()[0]['id']}"
    [cancel] = bigquery.log("POST", "/cancel")
    assert cancel["query"]["location"] == "US"
    assert bigquery.jobs()[0]["state"] == "DONE"
    # The next call works.
    assert len(hs.interroge(NAMES, cap="1 GB")) == 25


@pytest.mark.parametrize("wish", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_shell_cancels_the_job_before_it_ends(bigquery, wish):
    command = [HS, "interroge", "SELECT slow(60)", "--cap", "1 GB"]
    running = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    wait_for_job(bigquery)
    running.send_signal(wish)
    out, err = running.communicate(timeout=20)
    assert (running.returncode, out) == (130, "")
    assert err.startswith("hs: stopped; BigQuery stops job hs_")
    assert len(bigquery.log("POST", "/cancel")) == 1


def test_the_query_may_come_from_a_file_or_standard_input(bigquery, tmp_path):
    path = tmp_path / "query.sql"
    path.write_text("-- the names\nSELECT name\nFROM d.names\n")
    lines = shell(NAMES).stdout
    assert shell("-f", str(path)).stdout == lines
    assert shell("-", input=path.read_text()).stdout == lines
    assert shell(path.read_text()).stdout == lines
    assert shell("-f", str(tmp_path / "no.sql")).returncode == 2
    # A file in the place of a query, and an option that there is not.
    done = shell(str(path))
    assert (done.returncode, done.stdout) == (2, "")
    assert f"hs interroge -f {path}" in done.stderr
    done = shell("--dry-run", NAMES)
    assert (done.returncode, done.stdout) == (2, "")
    assert "unexpected argument '--dry-run'" in done.stderr
    assert shell().returncode == 2


def test_rows_go_into_a_file(bigquery, tmp_path):
    path = tmp_path / "names.parquet"
    done = shell(NAMES, "--cap", "1 GB", "-o", str(path))
    assert (done.returncode, done.stdout) == (0, "")
    assert len(pd.read_parquet(path)) == 25


def test_nothing_is_billed_for_a_file_that_cannot_be_written(bigquery, tmp_path):
    for path in (tmp_path / "no" / "names.csv", tmp_path / "names.docx"):
        done = shell(NAMES, "--cap", "1 GB", "-o", str(path))
        assert (done.returncode, done.stdout) == (2, "")
    assert bigquery.jobs() == []
    for name in ("a.csv", "a.jsonl", "a.xlsx"):
        done = shell("SELECT all_types", "--cap", "1 GB", "-o", str(tmp_path / name))
        assert (done.returncode, done.stdout) == (2, "")
        assert "BYTES" in done.stderr
    assert bigquery.jobs() == []
    assert list(tmp_path.glob("a.*")) == []


def test_types_are_exact(bigquery):
    hs.options.quiet = True
    row = hs.interroge("SELECT all_types", cap="1 GiB").iloc[0].to_dict()
    assert row["n"] == Decimal("1.5")
    assert row["y"] == b"\x00\xff"
    assert row["t"] == dt.time(3, 4, 5, 6)
    assert row["ts"] == pd.Timestamp("2020-01-02 03:04:05.123456", tz="UTC")
    assert row["r"] == {"start": dt.date(2020, 1, 1), "end": None}
    assert row["recs"][0]["place"] == {"x": 1.5, "y": Decimal("0.25")}
    assert list(row["recs"][0]) == ["name", "at", "tags", "place"]


def test_words_of_other_clients_are_answered(bigquery):
    with pytest.raises(hs.ArgumentError) as caught:
        hs.interroge(NAMES, maximum_bytes_billed=10)
    assert caught.value.hint == 'cap="20 GB"'
    for wrong in (None, 7, b"SELECT 1"):
        with pytest.raises(hs.TypeMismatchError, match="sql"):
            hs.interroge(wrong)
    with pytest.raises(hs.ArgumentError, match="found nothing"):
        hs.interroge("  ")
    with pytest.raises(hs.ArgumentError, match="surrogate"):
        hs.interroge("SELECT '\ud800'")
