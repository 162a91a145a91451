"""Google's own client judges the scripted server: what that client rejects, the server has wrong.

Each test asks the server as a user of google-cloud-bigquery would, with real credential files, and compares what
arrives with what BigQuery is documented to say. Nothing of headstart is called.
"""

import datetime as dt
import json
import math
import subprocess
import time
import urllib.error
import urllib.request
from decimal import Decimal
from pathlib import Path

import google.auth.identity_pool
import google.oauth2.credentials
import google.oauth2.service_account
import pytest
from google.api_core import exceptions
from google.api_core.client_options import ClientOptions
from google.api_core.retry import Retry
from google.auth.exceptions import RefreshError
from google.auth.transport.requests import Request
from google.cloud.bigquery import Client, QueryJobConfig, retry
from scripted_bigquery import PROGRAM, ScriptedBigQuery

SCOPES = ["https://www.googleapis.com/auth/bigquery"]
UTC = dt.UTC
# Google's rules of what is tried again, without its pauses of seconds.
PAUSES = {"initial": 0.01, "maximum": 0.05}
QUICK = retry.DEFAULT_RETRY.with_delay(**PAUSES).with_timeout(60)
QUICK_JOB = retry.DEFAULT_JOB_RETRY.with_delay(**PAUSES).with_timeout(60)


def client_of(server: ScriptedBigQuery, **more) -> Client:
    credentials = google.oauth2.service_account.Credentials.from_service_account_file(
        server.about["service_account"]
    )
    return Client(
        project="p1",
        credentials=credentials,
        client_options=ClientOptions(api_endpoint=server.url),
        **more,
    )


@pytest.fixture
def client(bigquery: ScriptedBigQuery) -> Client:
    return client_of(bigquery)


def dry(client: Client, sql: str):
    config = QueryJobConfig(dry_run=True, use_query_cache=False)
    return client.query(sql, job_config=config, retry=QUICK)


def run(client: Client, sql: str, page_size: int | None = None, **config):
    """The job and its rows."""
    job = client.query(
        sql, job_config=QueryJobConfig(**config), retry=QUICK, job_retry=QUICK_JOB
    )
    rows = job.result(page_size=page_size, retry=QUICK, job_retry=QUICK_JOB)
    return job, [tuple(row.values()) for row in rows]


# Credentials.


def test_a_key_file_gives_a_token_and_another_key_does_not(bigquery, client):
    assert run(client, "SELECT 1 AS x")[1] == [(1,)]
    [asked] = bigquery.log("POST", "/token")
    assert asked["body"]["grant_type"] == "urn:ietf:params:oauth:grant-type:jwt-bearer"
    wrong = google.oauth2.service_account.Credentials.from_service_account_file(
        bigquery.about["wrong_key"], scopes=SCOPES
    )
    with pytest.raises(RefreshError, match="invalid_grant: Invalid JWT Signature."):
        wrong.refresh(Request())


def test_a_scope_of_another_service_is_not_enough(bigquery):
    credentials = google.oauth2.service_account.Credentials.from_service_account_file(
        bigquery.about["service_account"],
        scopes=["https://www.googleapis.com/auth/drive"],
    )
    client = Client(project="p1", credentials=credentials)
    with pytest.raises(exceptions.Forbidden, match="insufficient authentication scope"):
        dry(client, "SELECT 1")


@pytest.mark.parametrize("form", ["", "_json", "_impersonating", "_json_impersonating"])
def test_external_accounts(bigquery, form):
    path = bigquery.about[f"external_account{form}"]
    credentials = google.auth.identity_pool.Credentials.from_file(path, scopes=SCOPES)
    client = Client(project="p1", credentials=credentials)
    assert dry(client, "SELECT name FROM d.names").total_bytes_processed == 65935918
    acted = bigquery.log("POST", ":generateAccessToken")
    assert len(acted) == ("impersonating" in form)


def test_an_authorized_user(bigquery):
    fields = json.loads(Path(bigquery.about["authorized_user"]).read_text())
    # from_authorized_user_file goes to Google whatever the file says.
    credentials = google.oauth2.credentials.Credentials(
        None,
        refresh_token=fields["refresh_token"],
        token_uri=fields["token_uri"],
        client_id=fields["client_id"],
        client_secret=fields["client_secret"],
    )
    client = Client(project="p1", credentials=credentials)
    assert run(client, "SELECT 1")[1] == [(1,)]
    stale = google.oauth2.credentials.Credentials(
        None,
        refresh_token="other",
        token_uri=fields["token_uri"],
        client_id=fields["client_id"],
        client_secret=fields["client_secret"],
    )
    with pytest.raises(RefreshError, match="expired or revoked"):
        stale.refresh(Request())


def test_the_client_finds_the_server_by_the_environment(bigquery):
    # BIGQUERY_EMULATOR_HOST, GOOGLE_APPLICATION_CREDENTIALS: set by the fixture.
    client = Client(project="p1")
    assert run(client, "SELECT 'a' AS x")[1] == [("a",)]
    assert bigquery.log("POST", "/jobs")


# Dry runs.


@pytest.mark.parametrize(
    ("sql", "kind", "size", "tables", "columns"),
    [
        ("SELECT name FROM d.names", "SELECT", 65935918, ["names"], ["name"]),
        ("SELECT 1 AS x", "SELECT", 0, [], ["x"]),
        ("SELECT id FROM d.clustered", "SELECT", 53687091200, ["clustered"], ["id"]),
        ("SELECT id FROM d.ext", "SELECT", 0, ["ext"], ["id"]),
        ("SELECT id FROM d.remote", "SELECT", 1000000, ["remote"], ["id"]),
        ("CREATE TABLE d.new (x INT64)", "CREATE_TABLE", 0, [], []),
        ("DELETE FROM d.names WHERE true", "DELETE", 65935918, ["names"], []),
        ("UPDATE d.names SET votes = 0 WHERE true", "UPDATE", 65935918, ["names"], []),
        (
            "MERGE d.names n USING d.tiny t ON n.name = t.name WHEN MATCHED THEN DELETE",
            "MERGE",
            65935930,
            ["names", "tiny"],
            [],
        ),
        ("INSERT d.tiny (id, name) VALUES (3, 'x')", "INSERT", 0, [], []),
        (
            "CREATE TABLE d.copy AS SELECT name FROM d.names",
            "CREATE_TABLE_AS_SELECT",
            65935918,
            ["names"],
            [],
        ),
        ("DROP TABLE d.tiny", "DROP_TABLE", 0, [], []),
        ("CALL d.refresh()", "CALL", 0, [], []),
        (
            "DECLARE x INT64 DEFAULT 1;\nSELECT name FROM d.names;",
            "SCRIPT",
            65935918,
            ["names"],
            ["name"],
        ),
        (
            "SELECT a.id, b.label FROM d.a JOIN d.b USING (id)",
            "SELECT",
            163595928,
            ["a", "b"],
            ["id", "label"],
        ),
        (
            "SELECT x.name FROM d.names x JOIN d.names y USING (name)",
            "SELECT",
            65935918,
            ["names", "names"],
            ["name"],
        ),
        ("SELECT COUNT(*), 2 FROM d.names", "SELECT", 0, ["names"], ["f0_", "f1_"]),
        ("SELECT slow", "SELECT", 12, ["tiny"], ["id", "name"]),
    ],
)
def test_dry_runs(bigquery, client, sql, kind, size, tables, columns):
    job = dry(client, sql)
    assert (job.statement_type, job.total_bytes_processed) == (kind, size)
    assert [table.table_id for table in job.referenced_tables] == tables
    assert [field.name for field in job.schema or []] == columns
    assert (job.state, job.location, job.total_bytes_billed) == ("DONE", "US", 0)
    assert job.job_id is None
    assert bigquery.jobs() == []


def test_a_dry_run_describes_every_type(client):
    schema = {field.name: field for field in dry(client, "SELECT all_types").schema}
    assert len(schema) == 19
    assert schema["r"].range_element_type.element_type == "DATE"
    assert (schema["money"].precision, schema["money"].scale) == (10, 2)
    assert schema["list"].mode == "REPEATED"
    assert [field.name for field in schema["recs"].fields] == [
        "name",
        "at",
        "tags",
        "place",
    ]


def test_how_exact_an_estimate_is(client):
    def accuracy(sql):
        statistics = dry(client, sql)._properties["statistics"]["query"]
        return statistics.get("totalBytesProcessedAccuracy")

    assert accuracy("SELECT name FROM d.names") == "PRECISE"
    assert accuracy("SELECT id FROM d.clustered") == "UPPER_BOUND"
    assert accuracy("SELECT id FROM d.ext") == "LOWER_BOUND"
    assert accuracy("SELECT id FROM d.remote") == "UNKNOWN"


@pytest.mark.parametrize(
    ("sql", "error", "message"),
    [
        ("SELEC 1", exceptions.BadRequest, 'identifier "SELEC" at \\[1:1\\]'),
        ("SELECT nam FROM d.names", exceptions.BadRequest, "Did you mean name\\?"),
        ("SELECT 1 AS x, 2 AS x", exceptions.BadRequest, "Found duplicate\\(s\\): x"),
        (
            "SELECT * FROM d.zzz",
            exceptions.NotFound,
            "Not found: Table p1:d.zzz was not found in location US",
        ),
        ("SELECT * FROM x.y", exceptions.NotFound, "Not found: Dataset p1:x"),
        ("CALL d.other()", exceptions.NotFound, "Not found: Routine p1:d.other"),
        ("SELECT * FROM secret.t", exceptions.Forbidden, "Access Denied: Table"),
        ("SELECT * FROM secret.bare", exceptions.Forbidden, "Access Denied: Table"),
    ],
)
def test_statements_that_are_refused(bigquery, client, sql, error, message):
    with pytest.raises(error, match=message) as dry_error:
        dry(client, sql)
    with pytest.raises(error, match=message):
        run(client, sql)
    assert bool(dry_error.value.errors) == ("bare" not in sql)
    assert bigquery.jobs() == []


def test_projects_that_are_refused(bigquery):
    credentials = client_of(bigquery)._credentials
    other = Client(project="other", credentials=credentials)
    with pytest.raises(exceptions.Forbidden, match=r"bigquery\.jobs\.create"):
        dry(other, "SELECT 1")
    absent = Client(project="absent", credentials=credentials)
    with pytest.raises(exceptions.NotFound, match="Not found: Project absent"):
        dry(absent, "SELECT 1")


# Results.


def test_pages_arrive_whole_and_in_order(bigquery, client):
    job, rows = run(client, "SELECT name, city FROM d.names")
    assert len(rows) == 25
    assert rows[:4] == [
        ("Ada", "Paris"),
        ("Zoë", "Lagos"),
        ("José", "Kraków"),
        ("Łukasz", None),
    ]
    assert rows[24][0] == "Tane"
    assert (job.total_bytes_processed, job.total_bytes_billed) == (65935918, 66060288)
    assert job.cache_hit is False
    pages = [entry["query"] for entry in bigquery.log("GET", "/queries/")]
    assert [query.get("pageToken", "") != "" for query in pages[-3:]] == [
        False,
        True,
        True,
    ]


def test_a_page_size_that_is_asked_for(bigquery, client):
    _, rows = run(client, "SELECT name FROM d.names", page_size=4)
    assert len(rows) == 25
    sizes = [entry["query"].get("maxResults") for entry in bigquery.log("GET", "/qu")]
    assert sizes.count("4") == 7


def test_replies_can_be_compressed(bigquery, client):
    bigquery.options(gzip=True, big_rows=3000)
    assert len(run(client, "SELECT name FROM d.names")[1]) == 25
    assert len(run(client, "SELECT id, note FROM d.big")[1]) == 3000


def test_page_sizes_are_an_option(bigquery, client):
    bigquery.options(page_rows={"names": 24})
    assert len(run(client, "SELECT name FROM d.names")[1]) == 25


def test_a_job_that_takes_longer_than_the_server_waits(bigquery, client):
    bigquery.options(wait_ms=100)
    _, rows = run(client, "SELECT slow(0.6)")
    assert rows == [(1, "Ada"), (2, "Zoë")]
    assert len(bigquery.log("GET", "/queries/")) > 2


def test_every_type_has_the_value_that_its_text_says(client):
    _, rows = run(client, "SELECT all_types")
    first, low, high, nulls = rows
    when = dt.datetime(2020, 1, 2, 3, 4, 5, 123456, UTC)
    assert math.isnan(first[1])
    assert first[0] == 42
    assert first[2:12] == (
        True,
        Decimal("1.5"),
        Decimal("1E-38"),
        'Zoë \U0001f980 "q"\\\n\tz',
        "POINT(2.35 48.85)",
        {"a": 1.0, "b": [True, None]},
        b"\x00\xff",
        dt.date(2020, 1, 2),
        dt.time(3, 4, 5, 6),
        dt.datetime(2020, 1, 2, 3, 4, 5, 123456),
    )
    assert first[12] == when
    interval = first[13]
    assert (interval.years, interval.months, interval.days) == (1, 2, 3)
    assert (interval.hours, interval.minutes, interval.seconds) == (4, 5, 6)
    assert interval.microseconds == 789000
    assert first[14] == {"start": dt.date(2020, 1, 1), "end": None}
    assert first[15] == {"start": when, "end": None}
    assert str(first[16]) == "12.30"
    assert first[17] == [1, 2, -3]
    assert first[18] == [
        {
            "name": "first",
            "at": when,
            "tags": ["x", "y"],
            "place": {"x": 1.5, "y": Decimal("0.25")},
        },
        {"name": None, "at": None, "tags": [], "place": None},
    ]
    assert low[:2] == (-(2**63), -math.inf)
    assert low[3] == Decimal("-99999999999999999999999999999.999999999")
    assert low[5] == ""
    assert low[9] == dt.date(1, 1, 1)
    assert low[12] == dt.datetime(1, 1, 1, tzinfo=UTC)
    assert low[15] == {"start": None, "end": None}
    assert high[:2] == (2**63 - 1, 1.7976931348623157e308)
    assert len(high[4].as_tuple().digits) == 77
    assert high[12] == dt.datetime(9999, 12, 31, 23, 59, 59, 999999, UTC)
    assert high[15]["start"] == dt.datetime(1337, 9, 2, 11, 43, 21, 622894, UTC)
    assert nulls == (None,) * 17 + ([], [])


def test_moments_that_no_float_holds(client):
    epoch = dt.datetime(1970, 1, 1, tzinfo=UTC)
    _, rows = run(client, "SELECT at FROM d.moments")
    micros = [(at - epoch) // dt.timedelta(microseconds=1) for (at,) in rows]
    assert micros == [
        -19954383398377106,
        1577934245123456,
        0,
        253402300799999999,
        -62135596800000000,
        1500000,
    ]


def test_records_in_records(client):
    _, rows = run(client, "SELECT customer, items FROM d.orders")
    assert rows == [
        (
            {"name": "Zoë", "address": {"city": "Paris", "postal": "01234"}},
            [
                {
                    "code": "007",
                    "quantity": 2,
                    "discounts": [Decimal("0.10"), Decimal(5)],
                },
                {"code": "0042", "quantity": None, "discounts": []},
            ],
        ),
        (
            {"name": None, "address": None},
            [{"code": "", "quantity": 0, "discounts": [Decimal(0)]}],
        ),
        (None, []),
    ]


def test_results_without_rows_and_with_huge_cells(client):
    assert run(client, "SELECT name FROM d.empty")[1] == []
    _, rows = run(client, "SELECT note FROM d.notes")
    assert rows[1][0] == "0123456789abcdef" * 65536
    assert (len(rows), rows[2]) == (3, ("",))


def test_a_type_that_the_client_does_not_know(client):
    with pytest.warns(FutureWarning, match="Unknown type 'EMBEDDING'"):
        _, rows = run(client, "SELECT * FROM d.future")
    assert rows == [(1, "[0.5, -1]", "last"), (2, None, "end")]


def test_the_big_table_is_what_its_page_says(bigquery, client):
    bigquery.options(big_rows=6000, page_rows={"big": 2500})
    job = client.query("SELECT * FROM d.big")
    frame = job.result().to_arrow(create_bqstorage_client=False)
    assert frame.num_rows == 6000
    assert len(bigquery.log("GET", "/queries/")) > 2
    epoch = dt.datetime(1970, 1, 1, tzinfo=UTC)
    for row in (0, 7, 1001, 2499, 2500, 5999):
        day = dt.date(2000, row % 12 + 1, row % 28 + 1)
        clock = dt.time(row % 24, row % 60, row % 60, row % 1000000 if row % 2 else 0)
        at = epoch + dt.timedelta(microseconds=1577934245123456 + row * 1000003)
        assert list(frame.slice(row, 1).to_pylist()[0].values()) == [
            row,
            None if row % 10 == 7 else row * 7919 % 100003 - 50000,
            row * 31 % 10007 / 8,
            Decimal(f"{row % 1000}.{row % 97:02}"),
            f"customer {row % 1000}",
            None if row % 5 == 0 else f"note é {row}",
            row % 3 == 0,
            day,
            at,
            dt.datetime.combine(day, clock),
        ]


def test_scripts_give_their_last_statement(client):
    job, rows = run(client, "DECLARE x INT64; SELECT name FROM d.names LIMIT 2")
    assert (job.statement_type, rows) == ("SCRIPT", [("Ada",), ("Zoë",)])


def test_statements_that_change_say_how_many_rows(bigquery, client):
    job, rows = run(client, "DELETE FROM d.names WHERE true")
    assert (rows, job.num_dml_affected_rows) == ([], 25)
    assert job.dml_stats.deleted_row_count == 25
    assert job.total_bytes_billed == 66060288
    job, _ = run(client, "INSERT INTO d.tiny (id, name) VALUES (3, 'x'), (4, 'y')")
    assert (job.num_dml_affected_rows, job.total_bytes_billed) == (2, 0)
    job, rows = run(client, "CREATE TABLE d.new (x INT64)")
    assert (rows, job.ddl_operation_performed) == ([], "CREATE")
    assert job.ddl_target_table.table_id == "new"
    assert len(bigquery.jobs()) == 3


def test_the_cache_is_an_option(bigquery, client):
    sql = "SELECT name FROM d.names"
    assert [run(client, sql)[0].cache_hit for _ in range(2)] == [False, False]
    bigquery.options(cache=True)
    job, rows = run(client, sql)
    assert (job.cache_hit, job.total_bytes_billed, len(rows)) == (True, 0, 25)
    job, _ = run(client, sql, use_query_cache=False)
    assert (job.cache_hit, job.total_bytes_billed) == (False, 66060288)


# The cap.

CAPPED = "Query exceeded limit for bytes billed: 1000000. 66060288 or higher required."


@pytest.mark.parametrize("mode", ["error_result", "400", "500", "late"])
def test_a_cap_is_refused_in_four_ways(bigquery, client, mode):
    bigquery.options(cap_refused=mode)
    config = QueryJobConfig(maximum_bytes_billed=1_000_000)
    sql = "SELECT name FROM d.names"
    kept = mode in ("error_result", "late")
    if not kept:
        never = Retry(predicate=lambda error: False)
        error = exceptions.from_http_status(int(mode), "")
        with pytest.raises(type(error)) as raised:
            client.query(sql, job_config=config, retry=never, job_retry=None)
        [found] = raised.value.errors
        assert len(bigquery.log("POST", "/jobs")) == 1
    else:
        job = client.query(sql, job_config=config, job_retry=None)
        while not job.done():
            pass
        found = job.error_result
        # The client knows no status for this reason and takes 500, as reports on it have.
        assert job.exception().code == 500
    assert found["reason"] == "bytesBilledLimitExceeded"
    assert found["message"] == CAPPED
    assert [job["billed"] for job in bigquery.jobs()] == ([0] if kept else [])


@pytest.mark.parametrize(
    ("sql", "needed", "billed"),
    [
        ("SELECT name FROM d.names", 66060288, 66060288),
        ("SELECT a.id FROM d.a JOIN d.b USING (id)", 174063616, 174063616),
        ("SELECT id FROM d.clustered", 53687091200, 10485760),
        ("SELECT id FROM d.ext", 734003200, 734003200),
        ("SELECT id FROM d.tiny", 10485760, 10485760),
    ],
)
def test_a_cap_holds_to_the_byte(bigquery, client, sql, needed, billed):
    job, _ = run(client, sql, maximum_bytes_billed=needed)
    assert job.total_bytes_billed == billed
    job = client.query(
        sql, job_config=QueryJobConfig(maximum_bytes_billed=needed - 1), job_retry=None
    )
    assert f" {needed} or higher required." in job.error_result["message"]


# Jobs and their places.


def test_a_job_runs_where_its_tables_are(bigquery, client):
    assert dry(client, "SELECT id FROM d.west").location == "europe-west9"
    job, rows = run(client, "SELECT id FROM d.west")
    assert (job.location, len(rows)) == ("europe-west9", 10)
    for place in (None, "US"):
        with pytest.raises(exceptions.NotFound, match="Not found: Job p1:"):
            client.get_job(job.job_id, location=place)
    assert client.get_job(job.job_id, location="europe-west9").state == "DONE"
    asked = [entry["query"]["location"] for entry in bigquery.log("GET", "/queries/")]
    assert set(asked) == {"europe-west9"}
    with pytest.raises(
        exceptions.NotFound, match="d.west was not found in location US"
    ):
        client.query("SELECT id FROM d.west", location="US", retry=QUICK)


def test_a_cancelled_job_stops(bigquery, client):
    job = client.query("SELECT slow(30)")
    assert job.state == "RUNNING"
    assert client.cancel_job(job.job_id, location=job.location).state == "DONE"
    with pytest.raises(
        exceptions.GoogleAPICallError, match="cancelled: User requested"
    ):
        job.result(retry=QUICK, job_retry=None)
    [seen] = bigquery.jobs()
    assert (seen["state"], seen["error"]) == ("DONE", "stopped")


def test_a_job_id_is_made_once(bigquery, client):
    client.query("SELECT 1", job_id="mine", job_retry=None).result()
    with pytest.raises(exceptions.Conflict, match="Already Exists: Job p1:US.mine"):
        client.query("SELECT 2", job_id="mine", job_retry=None)
    assert [job["sql"] for job in bigquery.jobs()] == ["SELECT 1"]


def test_a_query_that_fails_while_it_runs(client):
    job = client.query("SELECT 1 / 0 AS x", job_retry=None)
    assert job.state == "RUNNING"
    with pytest.raises(exceptions.BadRequest, match="division by zero: 1 / 0"):
        job.result(retry=QUICK)


def test_a_job_that_fails_once_is_made_again(bigquery, client):
    _, rows = run(client, "SELECT flaky")
    assert len(rows) == 2
    assert [job["error"] for job in bigquery.jobs()] == ["backendError", None]


def test_a_failure_that_may_be_one_of_the_request(bigquery, client):
    bigquery.options(ambiguous=True)
    job = client.query("SELECT flaky")
    short = QUICK.with_timeout(0.3)
    rows = list(job.result(retry=short, job_retry=QUICK_JOB))
    assert len(rows) == 2
    assert [job["error"] for job in bigquery.jobs()] == ["backendError", None]
    answers = [entry["status"] for entry in bigquery.log("GET", "/queries/")]
    assert 503 in answers


def test_a_job_that_is_not_found_at_first(bigquery, client):
    bigquery.options(hidden_gets=1)
    job = client.query("SELECT slow(0.1)")
    with pytest.raises(exceptions.NotFound):
        client.get_job(job.job_id)
    assert client.get_job(job.job_id).job_id == job.job_id


# Faults.


def test_a_page_of_html_once_is_tried_again(bigquery, client):
    bigquery.fault(method="POST", path="*/jobs", status=503)
    assert dry(client, "SELECT 1").total_bytes_processed == 0
    assert [entry["status"] for entry in bigquery.log("POST", "/jobs")] == [503, 200]


def test_an_insert_that_was_taken_and_answered_503(bigquery, client):
    bigquery.fault(method="POST", path="*/jobs", status=503, after=True)
    _, rows = run(client, "SELECT name FROM d.names")
    assert len(rows) == 25
    posted = bigquery.log("POST", "/jobs")
    assert [entry["status"] for entry in posted] == [503, 409]
    assert len({entry["body"]["jobReference"]["jobId"] for entry in posted}) == 1
    assert [job["billed"] for job in bigquery.jobs()] == [66060288]


def test_a_connection_that_is_closed(bigquery, client):
    bigquery.fault(method="GET", path="*/queries/*", drop=True)
    bigquery.fault(method="GET", path="*/queries/*", status=0, cut=20)
    assert len(run(client, "SELECT name FROM d.names")[1]) == 25
    # One that waits and three pages; the first of them three times.
    answers = [entry["status"] for entry in bigquery.log("GET", "/queries/")]
    assert answers == [0, 200, 200, 200, 200, 200]


def test_faults_are_counted_and_chosen(bigquery, client):
    bigquery.fault(path="*/jobs", when="dryRun", status=500, skip=1, times=2)
    answers = []
    for _ in range(4):
        try:
            client.query(
                "SELECT 1",
                job_config=QueryJobConfig(dry_run=True),
                retry=Retry(predicate=lambda error: False),
                job_retry=None,
            )
            answers.append(200)
        except exceptions.GoogleAPICallError as error:
            answers.append(error.code)
    assert answers == [200, 500, 500, 200]
    assert run(client, "SELECT 1")[1] == [(1,)]


def test_errors_as_the_service_writes_them(bigquery, client):
    bigquery.fault(
        path="*/jobs", status=403, reason="quotaExceeded", message="Quota exceeded: x"
    )
    with pytest.raises(exceptions.Forbidden, match="Quota exceeded: x") as raised:
        dry(client, "SELECT 1")
    assert raised.value.errors[0]["reason"] == "quotaExceeded"
    bigquery.fault(path="*/jobs", status=429, reason="rateLimitExceeded", message="m")
    assert dry(client, "SELECT 1").state == "DONE"


@pytest.mark.parametrize("how", ["calls", "revoked", "time"])
def test_a_token_that_dies_on_the_way(bigquery, client, how):
    if how == "calls":
        bigquery.options(token_calls=2)
    elif how == "time":
        bigquery.options(token_ms=1000)
    rows = client.query("SELECT name FROM d.names").result(page_size=5)
    names = []
    for page in rows.pages:
        names += [name for (name,) in page]
        if how == "revoked":
            bigquery.revoke()
        elif how == "time" and len(names) == 5:
            time.sleep(1.1)
    assert len(names) == 25
    assert len(bigquery.log("POST", "/token")) > 1
    assert 401 in [entry["status"] for entry in bigquery.log("GET")]


# Requests that are wrong, and the program.


def ask(server: ScriptedBigQuery, body: bytes, path="projects/p1/jobs", **headers):
    """One POST without a client's help: its status and its body."""
    credentials = google.oauth2.service_account.Credentials.from_service_account_file(
        server.about["service_account"], scopes=SCOPES
    )
    credentials.refresh(Request())
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    request = urllib.request.Request(
        f"{server.url}/bigquery/v2/{path}",
        data=body,
        method="POST",
        headers={
            "Authorization": f"Bearer {credentials.token}",
            "Content-Type": "application/json",
            **names,
        },
    )
    try:
        with urllib.request.urlopen(request) as reply:
            return reply.status, reply.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def query(**more) -> dict:
    return {"query": "SELECT 1", "useLegacySql": False, **more}


def test_requests_that_the_service_refuses(bigquery):
    good = json.dumps({"configuration": {"dryRun": True, "query": query()}}).encode()
    assert ask(bigquery, good)[0] == 200
    status, text = ask(bigquery, good, Content_Type="application/octet-stream")
    assert (status, "Unsupported content with type" in text) == (400, True)
    status, text = ask(bigquery, b"{")
    assert (status, "Invalid JSON payload" in text) == (400, True)
    legacy = json.dumps({"configuration": {"query": {"query": "SELECT 1"}}}).encode()
    status, text = ask(bigquery, legacy)
    assert (status, "legacy SQL" in text) == (400, True)
    assert ask(bigquery, good, Authorization="Bearer ya29.other")[0] == 401
    assert ask(bigquery, good, path="projects/p1/datasets")[0] == 404
    # Without prettyPrint=false the service indents.
    assert ask(bigquery, good)[1].startswith('{\n  "')
    compact = ask(bigquery, good, path="projects/p1/jobs?prettyPrint=false")
    assert compact[1].startswith('{"')


def test_headstart_is_held_to_the_letter(bigquery):
    def asked(body):
        return ask(bigquery, json.dumps(body).encode(), User_Agent="headstart/0.1.0")

    dry_run = {"dryRun": True, "query": query(useQueryCache=False)}
    assert asked({"configuration": dry_run})[0] == 200
    status, text = asked({"configuration": {"dryRun": True, "query": query()}})
    assert (status, "scripted server: headstart must send" in text) == (400, True)
    real = {
        "jobReference": {"projectId": "p1", "jobId": "a-1", "location": "US"},
        "configuration": {
            "labels": {"tool": "hs"},
            "query": query(maximumBytesBilled="10485760"),
        },
    }
    assert asked(real)[0] == 200
    for change in (
        {"jobReference": {"projectId": "p1", "jobId": "a-2"}},
        {"configuration": {"query": query(maximumBytesBilled="10485760")}},
        {"configuration": {"labels": {"tool": "hs"}, "query": query()}},
        {
            "configuration": {
                "labels": {"tool": "hs"},
                "query": query(maximumBytesBilled=10485760),
            }
        },
    ):
        assert asked({**real, **change})[0] == 400
    assert len(bigquery.jobs()) == 1


def test_a_misspelled_option_is_an_error(bigquery):
    for wrong in (lambda: bigquery.options(chache=True), lambda: bigquery.fault(x=1)):
        with pytest.raises(urllib.error.HTTPError) as raised:
            wrong()
        assert raised.value.code == 400


def test_the_program_ends_with_its_input(tmp_path):
    server = ScriptedBigQuery(tmp_path / "new")
    assert sorted(path.suffix for path in (tmp_path / "new").iterdir()) == [
        *[".json"] * 9,
        ".txt",
    ]
    assert server.stop() == 0
    own = subprocess.run(
        [PROGRAM], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True
    )
    assert not Path(json.loads(own.stdout)["service_account"]).parent.exists()
    wrong = subprocess.run(
        [PROGRAM, "--prot", "1"], check=False, capture_output=True, text=True
    )
    assert (wrong.returncode, "usage: scripted-bigquery" in wrong.stderr) == (2, True)
