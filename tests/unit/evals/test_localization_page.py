"""The report page: well-formed, and everything that a picture shows is told in words too."""

import re
from xml.etree import ElementTree

import pytest

from resolveflow.evals.localization_page import HELD_OUT, page
from resolveflow.evals.localization_summary import Estimates, FitSummary, Slice, Summary
from resolveflow.evals.metrics import Estimate

SVG = "{http://www.w3.org/2000/svg}"
METRICS = ("hit@1", "hit@3", "hit@5", "hit@10", "hit@20", "mrr", "all@10")
REGIONS = ("region_hit@1", "region_hit@5", "region_hit@10")
VIEWS = ("regions@5", "regions@10", "files@5", "files@10")


def estimates(value: float, names: tuple[str, ...] = METRICS) -> Estimates:
    return {name: Estimate(value=value, low=value - 0.1, high=value + 0.1) for name in names}


def part(rows: int, value: float, functions: int = 1) -> Slice:
    return Slice(
        rows=rows,
        files=estimates(value),
        gains=estimates(0.2),
        functions=functions,
        regions=estimates(0.3, REGIONS),
        lined=functions,
        lines=estimates(0.4, VIEWS),
        lines_shown=estimates(321.0, VIEWS),
    )


SUMMARY = Summary(
    rows=7,
    repositories=2,
    skipped={},
    unranked={},
    files={"resolveflow": estimates(0.8), "bm25": estimates(0.5), "named+bm25": estimates(0.6)},
    gains={"bm25": estimates(0.3), "named+bm25": estimates(0.2)},
    slices={"all": part(7, 0.8), "in go": part(3, 0.7, functions=0)},
    milliseconds={"median": 1.0, "p95": 2.0, "max": 3.0},
)
FITTED = SUMMARY.model_copy(
    update={"fit": FitSummary(weights={"path": 0.5}, held_out=estimates(0.75))}
)


def parsed(summary: Summary) -> ElementTree.Element:
    return ElementTree.fromstring(page(summary))  # noqa: S314 - our own page


def words(element: ElementTree.Element) -> str:
    return " ".join("".join(element.itertext()).split())


def pictures(root: ElementTree.Element) -> list[ElementTree.Element]:
    return list(root.iter(f"{SVG}svg"))


def tables(root: ElementTree.Element) -> dict[str, ElementTree.Element]:
    return {words(table.find("caption")): table for table in root.iter("table")}


def test_each_picture_has_a_title_and_its_figures_in_words() -> None:
    curve, bars = pictures(parsed(FITTED))
    for picture in (curve, bars):
        assert picture.get("role") == "img"
        named = {child.get("id"): words(child) for child in picture if child.get("id")}
        told = [named[one] for one in picture.get("aria-labelledby", "").split()]
        assert len(told) == 2
        assert all(told)
    assert "bm25: 0.500 at 1, 0.500 at 3" in words(curve.find(f"{SVG}desc"))
    assert "in go, 3 reports: hit@1 0.700" in words(bars.find(f"{SVG}desc"))


def test_the_curve_is_drawn_to_scale_with_its_intervals() -> None:
    curve, _ = pictures(parsed(SUMMARY))
    lines = list(curve.iter(f"{SVG}polyline"))
    assert len(lines) == 3
    heights = [float(line.get("points").split()[0].split(",")[1]) for line in lines]
    ticks = {
        one.text: float(one.get("y")) - 4
        for one in curve.iter(f"{SVG}text")
        if re.fullmatch(r"[01]\.\d", one.text)
    }
    assert heights == [ticks["0.8"], (ticks["0.4"] + ticks["0.6"]) / 2, ticks["0.6"]]
    whiskers = [one for one in curve.iter(f"{SVG}path") if one.get("class") == "whisker"]
    assert len(whiskers) == 3 * 5


def test_the_weights_that_were_held_out_are_drawn_only_after_a_fit() -> None:
    assert HELD_OUT not in page(SUMMARY)
    root = parsed(FITTED)
    assert len(list(pictures(root)[0].iter(f"{SVG}polyline"))) == 4
    assert "Chosen on all reports: path 0.5." in words(root)
    (files,) = [table for name, table in tables(root).items() if "by method" in name]
    assert f"{HELD_OUT}0.7500.650 to 0.850" in words(files)


def test_bars_are_as_long_as_their_rates() -> None:
    _, bars = pictures(parsed(SUMMARY))
    drawn = [one for one in bars.iter(f"{SVG}rect") if one.get("x") == "230"]
    assert len(drawn) == 2 * 3
    assert float(drawn[0].get("width")) / float(drawn[3].get("width")) == pytest.approx(8 / 7)


def test_every_table_names_its_rows_and_columns() -> None:
    shown = tables(parsed(SUMMARY))
    assert len(shown) == 7
    for table in shown.values():
        assert {cell.get("scope") for cell in table.find("thead").iter("th")} == {"col"}
        assert {cell.get("scope") for cell in table.find("tbody").iter("th")} == {"row"}
    coverage = words(shown["Line coverage: share of the gold lines that are shown"])
    assert "all (1)" in coverage
    assert "in go" not in coverage, "no report of that slice has known lines"
    assert "321" in words(shown["Lines shown"])


def test_light_and_dark() -> None:
    html = page(SUMMARY)
    assert "color-scheme:light dark" in html
    assert "@media(prefers-color-scheme:dark)" in html
    used = set(re.findall(r"var\((--\w+)\)", html))
    light, dark = re.findall(r":root\{([^}]*)\}", html)
    assert used <= set(re.findall(r"--\w+", light)) & set(re.findall(r"--\w+", dark))


def test_text_from_data_cannot_act() -> None:
    hostile = "<script>\x00\x1b[2J\u202e\ud800</title>"
    summary = SUMMARY.model_copy(
        update={
            "skipped": {hostile: hostile},
            "unranked": {"shop-2": {hostile: "is not in the commit"}},
            "slices": {hostile: part(1, 0.5)},
        }
    )
    html = page(summary)
    html.encode()
    assert "<script>" not in html
    assert not re.search("[\x00\x1b\u202e]", html)
    told = words(ElementTree.fromstring(html))  # noqa: S314 - our own page
    assert "shop-2: <script>" in told
    assert "Not measured" in told


def test_no_report_is_a_page_too() -> None:
    nothing = SUMMARY.model_copy(update={"rows": 0, "slices": {}, "gains": {}})
    assert "0 reports" in words(parsed(nothing))
