"""What a notebook shows of an Inspector, a block, an event: short, and inert."""

import html.parser

import pytest

pytest.importorskip("pandas")

from etscope import Inspector  # noqa: E402
from etscope.inspector import Event, EventBlock, PerfData  # noqa: E402
from fixtures import EXAMPLES, file, inspect  # noqa: E402
from made import dump, profile  # noqa: E402

HOSTILE = "<script>alert('x')</script><img src=x onerror=alert(1)> & \x1b[2J"
ALLOWED = {"p", "b", "ul", "li", "table", "thead", "tbody", "tr", "th", "td"}


class Reader(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.texts = [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        assert {name for name, _ in attributes} <= {"class", "border", "style"}, attributes

    def handle_data(self, data):
        self.texts.append(data.strip())


def read(shown):
    text = shown._repr_html_()
    found = Reader(text)
    assert set(found.tags) <= ALLOWED
    assert "\x1b" not in text and len(text) < 20000
    return found


def test_an_inspector_begins_with_the_answer():
    inspector = inspect("gpt_xnnpack", program=file("gpt_xnnpack", "model.pte"))
    found = read(inspector)
    assert [text for text in found.texts if text in inspector.headline] == inspector.headline
    cells = [text for text in found.texts if text]
    events = [str(len(block.events)) for block in inspector.event_blocks]
    assert cells[-7:] == ["Default", "1", events[0], "Execute", "forward", "5", events[1]]


def test_a_block_shows_the_events_that_take_most():
    path = EXAMPLES / "mobile_cnn" / "xnnpack"
    block = Inspector(f"{path}.etdump", etrecord=f"{path}.etrecord").event_blocks[1]
    found = read(block)
    assert found.tags.count("tr") == 21
    assert "the 20 with the longest median" in " ".join(found.texts)
    medians = [event.perf_data.p50 for event in block.events if event.name != "OPERATOR_CALL"]
    shown = [float(text) for text in found.texts if text == "0" or text.startswith("0.")]
    assert shown == pytest.approx(sorted(medians, reverse=True)[:20], rel=1e-5)


def test_an_event_shows_its_fields():
    block = inspect("mlp_portable").event_blocks[1]
    event = next(event for event in block.events if event.name == "native_call_addmm.out")
    texts = read(event).texts
    assert "Event native_call_addmm.out" in texts and "l1" in texts
    assert ", ".join(event.op_types) in texts


def test_names_are_never_markup():
    event = Event(
        HOSTILE, PerfData([1.0, 2.0]), op_types=[HOSTILE] * 30, delegate_backend_name=HOSTILE,
        debug_handles=[1], module_hierarchy={"n_": {"top": (HOSTILE, "T")}, "m_": None},
    )  # fmt: skip
    for shown in (event, EventBlock(HOSTILE, [event] * 50), Event(HOSTILE), EventBlock(HOSTILE)):
        assert "alert('x')" in " ".join(read(shown).texts)
    trace = dump((HOSTILE, [profile(HOSTILE, 0, 5, instruction=1)]))
    found = read(Inspector(etdump_data=trace))
    assert any("alert" in text for text in found.texts)


def test_nothing_to_show():
    assert read(EventBlock("Execute", [Event("x", PerfData([]))])).texts
    assert read(Event("x", PerfData([]))).texts
    assert read(Inspector(etdump_data=dump(("Default", [])))).texts
