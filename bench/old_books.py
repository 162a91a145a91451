"""Writes xls, xlsb and ods workbooks for the benches from rows of Python values: ints, floats, texts, datetimes, None.

xls by xlwt. xlsb and ods have no library that writes them in Python, so the few records and elements that a table
needs are written here, as [MS-XLSB] and OpenDocument 1.3 name them. Reads nothing.
"""

from __future__ import annotations

import datetime
import struct
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from xml.sax.saxutils import escape

Rows = Iterable[Iterable[object]]
EPOCH = datetime.datetime(1899, 12, 30)


def serial(value: datetime.datetime) -> float:
    """A point in time as workbooks count it: days since the end of 1899."""
    return (value - EPOCH) / datetime.timedelta(days=1)


def write_xls(path: Path, rows: Rows) -> None:
    import xlwt

    book = xlwt.Workbook(encoding="utf-8")
    sheet = book.add_sheet("data")
    style = xlwt.easyxf(num_format_str="yyyy-mm-dd hh:mm")
    for number, row in enumerate(rows):
        for column, value in enumerate(row):
            if isinstance(value, datetime.datetime):
                sheet.write(number, column, value, style)
            elif value is not None:
                sheet.write(number, column, value)
    book.save(str(path))


NAMES = "urn:oasis:names:tc:opendocument:xmlns"
SPACES = " ".join(
    f'xmlns:{short}="{NAMES}:{long}:1.0"'
    for short, long in (("office", "office"), ("table", "table"), ("text", "text"))
)
OPENDOCUMENT = "application/vnd.oasis.opendocument.spreadsheet"


def write_ods(path: Path, rows: Rows) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", OPENDOCUMENT, zipfile.ZIP_STORED)
        entries = "".join(
            f'<manifest:file-entry manifest:full-path="{name}" manifest:media-type="{kind}"/>'
            for name, kind in (("/", OPENDOCUMENT), ("content.xml", "text/xml"))
        )
        archive.writestr(
            "META-INF/manifest.xml",
            f'<manifest:manifest xmlns:manifest="{NAMES}:manifest:1.0">{entries}</manifest:manifest>',
        )
        with archive.open("content.xml", "w", force_zip64=True) as out:
            opening = (
                f'<?xml version="1.0" encoding="UTF-8"?><office:document-content {SPACES} '
                'office:version="1.3"><office:body><office:spreadsheet><table:table table:name="data">'
            )
            out.write(opening.encode())
            for row in rows:
                cells = "".join(map(ods_cell, row))
                out.write(f"<table:table-row>{cells}</table:table-row>".encode())
            out.write(
                b"</table:table></office:spreadsheet></office:body></office:document-content>"
            )


def ods_cell(value: object) -> str:
    if value is None:
        return "<table:table-cell/>"
    if isinstance(value, datetime.datetime):
        kind, shown = (
            f'date" office:date-value="{value.isoformat()}',
            value.isoformat(" "),
        )
    elif isinstance(value, str):
        kind, shown = "string", escape(value)
    else:
        kind, shown = f'float" office:value="{value}', str(value)
    return f'<table:table-cell office:value-type="{kind}"><text:p>{shown}</text:p></table:table-cell>'


def record(kind: int, content: bytes = b"") -> bytes:
    """A record of [MS-XLSB] 2.1.4: kind and length in seven bits a byte, then the content."""
    return sevens(kind) + sevens(len(content)) + content


def sevens(number: int) -> bytes:
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def wide(text: str) -> bytes:
    encoded = text.encode("utf-16-le")
    return struct.pack("<I", len(encoded) // 2) + encoded


def write_xlsb(path: Path, rows: Rows) -> None:
    texts: dict[str, int] = {}
    table = [list(row) for row in rows]
    last = struct.pack("<IIII", 0, len(table) - 1, 0, len(table[0]) - 1)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
        excel = "application/vnd.ms-excel"
        parts = {
            "/xl/workbook.bin": f"{excel}.sheet.binary.macroEnabled.main",
            "/xl/worksheets/sheet1.bin": f"{excel}.worksheet",
            "/xl/styles.bin": f"{excel}.styles",
            "/xl/sharedStrings.bin": f"{excel}.sharedStrings",
        }
        types = "".join(
            f'<Override PartName="{name}" ContentType="{kind}"/>'
            for name, kind in parts.items()
        )
        archive.writestr(
            "[Content_Types].xml",
            '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
            '<Default Extension="bin" ContentType="application/vnd.ms-excel.sheet.binary.macroEnabled.main"/>'
            '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            f"{types}</Types>",
        )

        def relations(name: str, *targets: tuple[str, str]) -> None:
            lines = "".join(
                f'<Relationship Id="rId{number}" Type="{office}/{kind}" Target="{target}"/>'
                for number, (kind, target) in enumerate(targets, 1)
            )
            space = "http://schemas.openxmlformats.org/package/2006/relationships"
            archive.writestr(
                name, f'<Relationships xmlns="{space}">{lines}</Relationships>'
            )

        relations("_rels/.rels", ("officeDocument", "xl/workbook.bin"))
        relations(
            "xl/_rels/workbook.bin.rels",
            ("worksheet", "worksheets/sheet1.bin"),
            ("styles", "styles.bin"),
            ("sharedStrings", "sharedStrings.bin"),
        )
        sheet = record(156, struct.pack("<II", 0, 1) + wide("rId1") + wide("data"))
        book = record(131) + record(143) + sheet + record(144) + record(132)
        archive.writestr("xl/workbook.bin", book)
        # Two formats of cells: none, and 22, a date with its time.
        formats = b"".join(
            record(47, struct.pack("<HHHHHBBHH", 0, number, 0, 0, 0, 0, 0, 0, 0))
            for number in (0, 22)
        )
        styles = record(617, struct.pack("<I", 2)) + formats + record(618)
        archive.writestr("xl/styles.bin", record(278) + styles + record(279))
        with archive.open("xl/worksheets/sheet1.bin", "w", force_zip64=True) as out:
            out.write(record(129) + record(148, last) + record(145))
            for number, row in enumerate(table):
                head = struct.pack("<IIHBBBI", number, 0, 300, 0, 0, 0, 0)
                out.write(record(0, head) + b"".join(xlsb_cells(row, texts)))
            out.write(record(146) + record(130))
        with archive.open("xl/sharedStrings.bin", "w") as out:
            out.write(record(159, struct.pack("<II", len(texts), len(texts))))
            out.writelines(record(19, b"\0" + wide(text)) for text in texts)
            out.write(record(160))


def xlsb_cells(row: Iterable[object], texts: dict[str, int]) -> Iterator[bytes]:
    for column, value in enumerate(row):
        if isinstance(value, datetime.datetime):
            yield record(5, struct.pack("<IId", column, 1, serial(value)))
        elif isinstance(value, str):
            at = texts.setdefault(value, len(texts))
            yield record(7, struct.pack("<III", column, 0, at))
        elif value is not None:
            yield record(5, struct.pack("<IId", column, 0, float(value)))  # type: ignore[arg-type]
