"""A case as a person reads it."""

import io

from rich.console import Console

from resolveflow.domain.case import Event
from resolveflow.domain.diagnosis import Investigation
from resolveflow.domain.github import Account, Comment
from resolveflow.domain.proposal import ProposedAction
from resolveflow.domain.review import Critique
from resolveflow.entrypoints.cli import rendering
from resolveflow.entrypoints.cli.finding import Finding
from tests.full_case import EVIDENCE, FRESH, INVESTIGATION, NOON, POSTED, REF, REVIEW, WAITING


def printed(render, *values, terminal: bool = False) -> str:
    file = io.StringIO()
    out = Console(
        file=file,
        markup=False,
        highlight=False,
        emoji=False,
        soft_wrap=True,
        force_terminal=terminal,
        color_system="standard" if terminal else None,
        width=80,
    )
    render(*values, out)
    return file.getvalue()


def test_a_waiting_case_says_everything_in_order():
    text = printed(rendering.print_case, WAITING)

    wanted = [
        "Case c0ffee",
        "awaiting_approval",
        "https://github.com/o/r/issues/1",
        "It breaks",
        "/srv/r at 000000000000\n",
        "the tag v1 matches version 1",
        "crash → ai_investigation, by resolves: frames resolve",
        "`f` calls None.",
        "severity medium, complexity low, risk low",
        "src/a.py:10-12  in f",
        "11 │ x = None",
        "12 │ x()",
        "src/b.py:3\n",
        "the operating system",
        "Check for None first.",
        "✓ code src/a.py:11-12: the lines hold the quote",
        "✗ passage p1 (score 0.57): too weak",
        "1. src/a.py  0.90  frame 1",
        "vendored files",
        "nothing was run",
        "✓ groundedness_ok: 1 citation, all checked",
        "✗ risk_ok: severity high",
        "? permission_ok: unknown",
        "→ the gates let it through: all gates agree",
        "│ The cause is in `a.py`.",
        "│ <!-- resolveflow:c0ffee -->",
        "bug",
        "none",
        WAITING.proposed_action.digest,
        "resolveflow approve c0ffee",
    ]
    position = 0
    for part in wanted:
        position = text.index(part, position)


def test_what_a_tree_lacks_is_shown_with_it():
    tree = EVIDENCE.tree.model_copy(update={"gaps": ("Later commits: the mirror is old",)})
    case = WAITING.model_copy(update={"evidence": EVIDENCE.model_copy(update={"tree": tree})})

    assert "  without  Later commits: the mirror is old\n" in printed(rendering.print_case, case)


def test_the_comment_is_shown_byte_for_byte_behind_its_bar():
    text = printed(rendering.print_proposal, WAITING.proposed_action)

    shown = [line[4:] for line in text.splitlines() if line.startswith("  │ ")]
    assert "\n".join(shown) == WAITING.proposed_action.comment


def test_long_lines_are_not_wrapped():
    action = ProposedAction.propose(REF, "word " * 100, (), marker="m", snapshot="s")

    assert f"  │ {'word ' * 100}\n" in printed(rendering.print_proposal, action)


def test_links_in_a_comment_are_listed():
    action = ProposedAction.propose(REF, "[a](http://evil.example)", (), marker="m", snapshot="s")

    assert "    http://evil.example\n" in printed(rendering.print_proposal, action)


def test_text_of_others_cannot_act_on_the_terminal():
    evil = "\x1b[2J\x1b]8;;http://evil\x07[bold red]x[/] :smile: \u202e"
    evidence = EVIDENCE.model_copy(update={"title": evil})
    found = Investigation(abstained=evil)
    case = WAITING.model_copy(update={"evidence": evidence, "investigation": found, "note": evil})

    text = printed(rendering.print_case, case)

    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "[bold red]x[/] :smile:" in text


def test_colour_only_on_a_terminal():
    assert "\x1b[" in printed(rendering.print_case, WAITING, terminal=True)
    assert "\x1b[" not in printed(rendering.print_case, WAITING)


def test_a_posted_case_ends_with_its_link():
    text = printed(rendering.print_case, POSTED)

    assert text.endswith(
        "posted: posted to o/r#1 as mona\n  https://github.com/o/r/issues/1#issuecomment-5\n"
    )
    without = POSTED.resolution.model_copy(update={"comment_url": None})
    case = POSTED.model_copy(update={"resolution": without})
    assert printed(rendering.print_case, case).endswith("as mona\n")


def test_a_decision_is_the_comment_and_its_outcome():
    text = printed(rendering.print_decision, POSTED)

    assert "│ The cause is in `a.py`." in text
    assert "Diagnosis" not in text
    assert "posted: posted to o/r#1 as mona" in text
    rejected = FRESH.model_copy(update={"status": "rejected", "note": "known"})
    assert printed(rendering.print_decision, rejected).endswith("  rejected: known\n")


def test_a_fresh_case():
    text = printed(rendering.print_case, FRESH)

    assert "Diagnosis" not in text
    assert text.endswith("  running\n")


def test_a_case_for_a_person_says_why():
    evidence = EVIDENCE.model_copy(update={"tree": None, "tree_problem": "no such tag"})
    case = FRESH.model_copy(
        update={"status": "human_review", "note": "severity is high", "evidence": evidence}
    )

    text = printed(rendering.print_case, case)

    assert "severity is high" in text
    assert "no such tag" in text
    assert "Nothing is proposed" in text


def test_without_a_tree_and_without_a_diagnosis():
    evidence = EVIDENCE.model_copy(update={"tree": None})
    found = INVESTIGATION.model_copy(update={"diagnosis": None, "abstained": None})
    exploration = INVESTIGATION.exploration.model_copy(update={"suspects": ()})
    found = found.model_copy(update={"exploration": exploration})
    case = FRESH.model_copy(update={"evidence": evidence, "investigation": found})

    text = printed(rendering.print_case, case)

    assert "vendored files" in text
    assert "Ranked files" not in text
    assert "source" not in text


def test_a_critique_is_shown():
    call = {
        "purpose": "review",
        "model": "m",
        "temperature": 0.0,
        "prompt_sha256": "0",
        "input_tokens": 1,
        "output_tokens": 1,
    }
    critique = Critique.model_validate({"text": "Unproven.", "call": call})

    text = printed(rendering.print_review, REVIEW.model_copy(update={"critique": critique}))

    assert "Unproven." in text


def test_new_comments():
    said = Comment(id=1, body="Wait\n\x1b[2J", user=Account(id=9, login="eve"))
    ghost = Comment(id=2)

    text = printed(rendering.print_new_comments, (said, ghost))

    assert "by eve since" in text
    assert "  ┆ Wait\n  ┆ ⟨U+001B⟩[2J\n" in text
    assert "by somebody" in text
    assert "(empty)" in text
    assert "No comment came" in printed(rendering.print_new_comments, ())


def test_the_inbox():
    report = FRESH.report.model_copy(update={"target": None, "source": "crash.log"})
    failed = {"status": "failed", "note": "the disk\nis full", "report": report}

    text = printed(rendering.print_inbox, (WAITING, FRESH, FRESH.model_copy(update=failed)))

    assert text == (
        "c0ffee  awaiting_approval   2026-11-30 12:00  o/r#1  It breaks\n"
        "f00d  running             2026-11-30 12:00  o/r#1  https://github.com/o/r/issues/1\n"
        "f00d  failed              2026-11-30 12:00  crash.log\n"
        "              the disk is full\n"
    )
    assert printed(rendering.print_inbox, ()) == "Nothing waits.\n"


def test_a_history():
    text = printed(rendering.print_history, (Event(at=NOON, what="created", detail="by run"),))

    assert "2026-11-30 12:00:00  created  by run\n" in text


def test_findings():
    findings = (
        Finding("git", ok=True, detail="git version 2"),
        Finding("model", ok=None, detail="none", advice="set RESOLVEFLOW_MODEL"),
        Finding("database", ok=False, detail="cannot be opened"),
    )

    text = printed(rendering.print_findings, findings)

    assert "  ✓ git        git version 2\n" in text
    assert "  ? model      none\n" in text
    assert "set RESOLVEFLOW_MODEL" in text
    assert "  ✗ database   cannot be opened\n" in text


def test_the_console_takes_no_markup():
    out = rendering.console(stderr=True)

    assert out.stderr
    assert out.render_str("[red]x").plain == "[red]x"
