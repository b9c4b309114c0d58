#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Opens reports in a headless Chromium and uses them as a person would.

usage: reports_test.py JOSTLE PROGRAM... : programs in which jostle finds a failure, at least one a
deadlock and one a lost update. Ends with 77 (skipped) when there is no Chromium.
"""
import datetime
import glob
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

from browser import Browser, find_chromium

SKIPPED = 77
DATA = re.compile(r'(<script type="application/json" id="data">)(.*?)(</script>)', re.S)
LONG = 10_000
# For a busy machine without a graphics processor. On an idle one it is a twentieth while scrolling;
# drawing all events instead of those in view takes far longer.
MOST_MS = 50
SEED = "271828"  # not to be rounded
WIDTHS = (1400, 800, 400)
LEAST_CONTRAST = 4.5  # of text, as WCAG has it


def check(condition, what):
    if not condition:
        raise AssertionError(what)
    print("ok:", what)


def with_data(page, change):
    """The same page with other data."""
    data = json.loads(DATA.search(page).group(2))
    change(data)
    text = json.dumps(data).replace("<", "\\u003c")
    return DATA.sub(lambda match: match.group(1) + text + match.group(3), page)


def open_changed(browser, page, change):
    with tempfile.NamedTemporaryFile("w", suffix=".html", encoding="utf-8") as file:
        with open(page, encoding="utf-8") as original:
            file.write(with_data(original.read(), change))
        file.flush()
        browser.open(file.name)


def stretch(data, count):
    """Makes it `count` events, as a program with eight busy threads would give."""
    draw = random.Random(1)
    threads, objects, places = 8, len(data["objects"]), len(data["places"])
    data["threads"] = [dict(data["threads"][0], label=f"T{i}", title=f"T{i} worker")
                       for i in range(threads)]
    events, stretches, holds, writers, thread = [], [], [], {}, 0
    for i in range(count):
        if i == 0 or draw.random() < 0.15:
            thread = draw.randrange(threads)
            stretches.append({"thread": thread, "first": i, "last": i, "end": "preempted"})
        stretches[-1]["last"] = i
        event = {"step": i + 1, "thread": thread, "op": draw.choice(["read", "write", "lock"]),
                 "object": draw.randrange(objects), "place": draw.randrange(places), "size": 4}
        if event["op"] == "read" and event["object"] in writers:
            event["reads_from"] = writers[event["object"]]
        elif event["op"] == "write":
            writers[event["object"]] = i
        elif event["op"] == "lock":
            holds.append({"thread": thread, "object": event["object"], "first": i,
                          "last": min(count - 1, i + draw.randrange(60)), "shared": False,
                          "released": True})
        events.append(event)
    data.update(events=events, stretches=stretches, holds=holds, waits=[], steps=count, thread=0,
                explained=[])


def row_at(browser, row):
    """Where a row is, in the lane of its event, when it is in view."""
    return browser.run(f"""(() => {{
      byId('scroller').scrollIntoView({{block: 'nearest'}});
      const lanes = report.lanes, box = lanes.canvas.getBoundingClientRect();
      lanes.reveal({row});
      lanes.paintNow();
      const event = report.trace.eventAt({row});
      return [box.left + lanes.painter.lane.get(event.thread).glyph + 20 - lanes.scroller.scrollLeft,
              box.top + ({row} + 0.5) * lanes.rowHeight - lanes.scroller.scrollTop];
    }})()""")


def click_row(browser, row):
    browser.click(*row_at(browser, row))


def title(browser):
    return browser.run("byId('selected-title').textContent")


def test_report(browser, page, is_deadlock):
    browser.open(page)
    check(title(browser).startswith("\u2717"), "the failure is chosen at first")
    check(browser.run("byId('waits').hidden") is not is_deadlock, "who waits is shown for a deadlock")
    if is_deadlock:
        cycle = browser.run("report.trace.threads.some((thread) => thread.in_cycle)")
        check(cycle or "abba" not in page, "a cycle is one")
        check(browser.run("document.querySelectorAll('#waits-drawing path').length") >= (6 if cycle else 3),
              "the cycle is drawn, or the wait")
    blank = browser.run("""(() => {
      const canvas = byId('lanes');
      const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
      return new Set(new Uint32Array(pixels.buffer)).size;
    })()""")
    check(blank > 20, "something is drawn")

    row = browser.run("""report.trace.rows.findIndex((index) => index >= 0 &&
        report.trace.events[index].executed !== false && report.trace.place(report.trace.events[index])?.text)""")
    click_row(browser, row)
    expected = browser.run(f"report.trace.place(report.trace.eventAt({row})).text")
    check(browser.run("document.querySelector('#source .here')?.textContent ?? ''").find(expected) >= 0,
          "a click shows the source line")
    check(browser.run("document.activeElement.id") == "scroller", "and the lanes have the focus")

    before = browser.run("report.lanes.selected")
    browser.key("ArrowDown")
    check(browser.run("report.lanes.selected") == before + 1, "the down key goes to the next row")
    browser.key("Home")
    check(browser.run("report.lanes.selected") == 0, "Home goes to the first")
    check(browser.run("byId('live').textContent") != "", "and it is announced")
    height = browser.run("report.lanes.rowHeight")
    browser.key("-")
    check(browser.run("report.lanes.rowHeight") < height, "minus zooms out")
    browser.key("0")
    browser.key("End")

    lanes = browser.run("report.trace.lanes.length")
    browser.run("document.querySelector('#threads button').click()")
    browser.settle()
    check(browser.run("report.trace.lanes.length") == lanes - 1, "a thread can be hidden")
    check(browser.run("document.querySelectorAll('#lane-heads-row > :not(.all)').length") == lanes - 1, "with its lane")
    check(browser.run("report.trace.rows.every((i) => i < 0 || report.trace.events[i].thread !== 0)"),
          "and its events")
    browser.run("document.querySelector('#threads button').click()")
    browser.run("""(() => { const s = byId('object'); s.selectedIndex = 1;
                   s.dispatchEvent(new Event('change')); })()""")
    browser.settle()
    check(browser.run("new Set(report.trace.rows.filter((i) => i >= 0).map((i) => report.trace.events[i].object)).size") == 1,
          "one object can be chosen")

    ground = browser.run("getComputedStyle(document.documentElement).backgroundColor")
    browser.run("byId('theme').click()")
    browser.settle()
    check(browser.run("getComputedStyle(document.documentElement).backgroundColor") != ground,
          "the button changes the theme")
    browser.run("dispatchEvent(new Event('beforeprint'))")
    check(browser.run("document.querySelectorAll('#print-events tbody tr').length") > 0,
          "there is a table for the printer")
    order = browser.run("[...document.querySelectorAll('button, select, input, [tabindex]')].every((e) => e.tabIndex >= 0)")
    check(order, "everything can be reached with Tab")


def middle(browser, selector):
    """Of an element's first line, in view."""
    return browser.run(f"""(() => {{
      const node = document.querySelector({json.dumps(selector)});
      node.scrollIntoView({{block: 'center'}});
      const box = node.getClientRects()[0];
      return [box.left + box.width / 2, box.top + box.height / 2];
    }})()""")


def test_links(browser, page):
    """Sentence, rows and source lead to each other."""
    browser.open(page)
    events = browser.run("[...document.querySelectorAll('a.op[data-event]')].map((a) => Number(a.dataset.event))")
    told = browser.run("byId('why-text').textContent")
    if " freed the block " in told:
        return  # neither that nor the use that ended the run is an operation of the schedule
    check(len(events) >= 2, f"the sentence names operations {events}")
    for event in events:
        line = browser.run(f"report.trace.place(report.trace.events[{event}]).line")
        label = browser.run(f"report.trace.threads[report.trace.events[{event}].thread].label")
        check(f":{line}" in told and label in told, f"line {line} of {label} is what the sentence names")
    word = f"a.op[data-event='{events[0]}']"
    row, line = browser.run(f"""(() => {{ const t = report.trace;
        return [t.rowOf[{events[0]}], t.place(t.events[{events[0]}]).text]; }})()""")
    lines = "[...document.querySelectorAll('#source .linked, #source .here')].map((l) => l.textContent).join()"

    browser.point(*middle(browser, word))
    check(browser.run("[...report.lanes.marked]") == [row], "the row of a word under the pointer is marked")
    check(browser.run(f"report.lanes.isInView({row})"), "and in view")
    check(line in browser.run(lines), "and so is its source line")
    browser.point(1, 1)
    check(browser.run("report.lanes.marked.size + document.querySelectorAll('.linked').length") == 0,
          "until the pointer leaves it")
    browser.click(*middle(browser, word))
    check(browser.run("report.lanes.selected") == row, "a click on it chooses the row")
    check(line in browser.run("document.querySelector('#source .here').textContent"), "and its line")
    check(browser.run(f"document.querySelector({json.dumps(word)}).getAttribute('aria-current')") == "true",
          "the word of the chosen row is marked")

    browser.point(1, 1)
    linked = "[...document.querySelectorAll('a.op.linked')].map((a) => Number(a.dataset.event))"
    browser.run("report.lanes.select(report.trace.failureRow)")
    browser.point(*row_at(browser, row))
    check(browser.run(linked) == [events[0]], "the word of a row under the pointer is marked")
    check(line in browser.run(lines) or browser.run("report.source.file") != browser.run(
        f"report.trace.place(report.trace.events[{events[0]}]).file"), "and its line")
    browser.run("report.source.show(report.trace.place(report.trace.events[%d]))" % events[0])
    browser.point(*middle(browser, "#source li.here b"))
    check(browser.run(f"report.lanes.marked.has({row})"), "the rows of a line under the pointer are marked")
    check(events[0] in browser.run(linked), "and its words")

    browser.point(1, 1)
    last = f"a.op[data-event='{events[-1]}']"
    browser.run(f"document.querySelector({json.dumps(last)}).focus()")
    browser.settle()
    check(browser.run("[...report.lanes.marked]") == browser.run(f"[report.trace.rowOf[{events[-1]}]]"),
          "the focus marks the row, too")
    browser.key("Enter")
    check(browser.run(f"report.lanes.selected === report.trace.rowOf[{events[-1]}]"), "Enter chooses it")

    browser.run("report.lanes.select(0); report.lanes.scroller.focus()")
    for expected in sorted(set(browser.run("[...report.trace.explained]"))):
        browser.key("w")
        check(browser.run("report.trace.rows[report.lanes.selected]") == expected, "w goes from one explained row to the next")
    click_row(browser, row)
    check(browser.run(f"document.querySelector({json.dumps(word)}).getAttribute('aria-current')") == "true",
          "a click on the row marks the word")

    browser.run("byId('source').focus()")
    used = browser.run("[...report.source.lines.keys()].filter((n) => report.links.events(report.source.file, n).length)")
    here = browser.run("report.source.here")
    for key, lines in (("ArrowUp", used[::-1][-used.index(here):] if used.index(here) else []), ("ArrowDown", used[1:])):
        for line in lines:
            browser.key(key)
            check(browser.run("report.source.here") == line, f"{key} in the source goes to line {line}")
            check(browser.run("report.trace.place(report.trace.eventAt(report.lanes.selected)).line") == line,
                  "and to a row of it")
    browser.run("report.lanes.select(report.trace.failureRow)")
    browser.click(*middle(browser, "#source li.explained b"))
    check(browser.run("report.trace.explained.has(report.trace.rows[report.lanes.selected])"),
          "a click on an explained line chooses an explained row")
    browser.point(1, 1)


def test_arrows(browser, page):
    browser.resize(1400, 9000)  # everything is in view
    browser.open(page)
    browser.run("report.lanes.paintNow()")
    few = browser.run("report.lanes.painter.drawn")
    check(browser.run("""[...report.trace.matters].every((i) => report.trace.explained.has(i) ||
        report.trace.explained.has(report.trace.events[i].reads_from))"""), "only explained arrows are drawn")
    check(few == browser.run("report.trace.matters.size"), "as many as matter")
    browser.run("byId('arrows').click(); report.lanes.paintNow()")
    check(browser.run("report.lanes.painter.drawn") > few, "all of them when asked")
    browser.resize(1400, 900)


def test_stores(browser, page):
    """Weak memory: stores in their modification order, and stale reads that lead back to one of them."""
    browser.resize(1400, 9000)
    browser.open(page)
    check(not browser.run("byId('stores').hidden"), "modification orders are shown")
    orders = browser.run("report.trace.data.weak_memory.modification_orders")
    check(browser.run("document.querySelectorAll('#stores .store:not(.initial)').length")
          == sum(len(order["stores"]) for order in orders), "every store has its box")
    stale = browser.run("report.trace.stale")
    check(len(stale) > 0, "there are stale reads")
    check(browser.run("document.querySelectorAll('#stores .reader.stale').length") == len(stale), "each is told")
    check(browser.run("""report.trace.stale.every((index) => {
        const event = report.trace.events[index], source = report.trace.events[event.reads_from];
        return event.reads_from === undefined || source.value === event.value;
    })"""), "a stale read has the value of the store that it has read")
    check(browser.run("""report.trace.data.weak_memory.modification_orders.every((order) => {
        const newest = order.stores[order.stores.length - 1];
        return report.trace.stale.every((index) => report.trace.events[index].reads_from !== newest);
    })"""), "which is not the newest")
    browser.run("report.lanes.paintNow()")
    check(browser.run("report.lanes.painter.drawnBack") == len(stale), "an arrow leads back for each")
    browser.run("document.querySelector('#stores .reader.stale').click()")
    check("stale" in title(browser), "a click chooses the read")
    browser.resize(1400, 900)


def test_layout(browser, page):
    """Nothing hangs over, at any width, in either theme."""
    for scheme in ("light", "dark"):
        browser.prefer(scheme)
        for width in WIDTHS:
            browser.resize(width, 800)
            browser.open(page)
            where = f"at {width} pixels, {scheme}"
            check(browser.run("document.documentElement.scrollWidth <= innerWidth"), f"the page does not scroll sideways {where}")
            outside = browser.run("""(() => {
              const scrolls = (node) => { for (let n = node.parentElement; n; n = n.parentElement) if (/auto|scroll|hidden/.test(getComputedStyle(n).overflowX)) return true; };
              return [...document.querySelectorAll('body *')].filter((n) => {
                const box = n.getBoundingClientRect();
                return box.width > 1 && (box.right > innerWidth + 1 || box.left < -1) && !scrolls(n);
              }).map((n) => n.id || n.className || n.tagName);
            })()""")
            check(outside == [], f"nothing is cut off {where} {outside}")
            check(browser.run("""(() => {
              const map = byId('map').getBoundingClientRect(), lanes = byId('scroller').getBoundingClientRect();
              return byId('map').hidden || map.left >= lanes.right;
            })()"""), f"the map is beside the lanes {where}")
            check(browser.run("""['telling', 'run', 'trace'].map((id) => byId(id).getBoundingClientRect()).every((box, i, all) =>
                i === 0 || box.top >= all[i - 1].top) && byId('why').getBoundingClientRect().top < 300"""),
                  f"the sentence comes first {where}")
            check(browser.run("report.lanes.painter.width <= report.lanes.scroller.clientWidth"), f"the lanes fit {where}")
            check(browser.run("report.lanes.scroller.offsetHeight - report.lanes.scroller.clientHeight") == 0,
                  f"and do not scroll sideways {where}")
    browser.prefer("light")
    browser.resize(1400, 900)


def test_many_threads(browser, page):
    browser.open(page)
    check(browser.run("report.lanes.painter.rails && report.trace.lanes.length > 16"), "many threads have narrow lanes")
    check(browser.run("document.querySelectorAll('#lane-heads .rail').length === report.trace.lanes.length"), "each has its head")
    check(browser.run("document.querySelector('#source .file').textContent") == "twenty_threads.cc",
          "files are named relative to the working folder")
    check(browser.run("!byId('map').hidden"), "what is out of view has a map")


def test_empty_lanes(browser, page):
    def add_idle(data):
        data["threads"].append({"label": "T99", "title": "T99 idle", "path": "0.99"})

    open_changed(browser, page, add_idle)
    check(browser.run("report.trace.lanes.every((lane) => report.trace.rows.some((i) => i >= 0 && report.trace.events[i].thread === lane))"),
          "every lane has a row")
    check("T99" not in browser.run("byId('lane-heads').textContent + byId('threads').textContent"), "a thread without steps has no column")
    check("T99 idle" in browser.run("byId('dropped').textContent"), "but is named")


CONTRAST = """((fore, back) => {
  const light = (name) => {
    const probe = document.body.appendChild(document.createElement('i'));
    probe.style.color = `var(--${name})`;
    const [r, g, b] = getComputedStyle(probe).color.match(/[\\d.]+/g).map(Number).map((c) => c / 255)
        .map((c) => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    probe.remove();
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [a, b] = [light(fore), light(back)].sort((x, y) => y - x);
  return (a + 0.05) / (b + 0.05);
})"""


def test_access(browser, page):
    for scheme in ("light", "dark"):
        browser.prefer(scheme)
        browser.open(page)
        for fore in ("ink", "dim", "faint", "accent", "bad", "warn"):
            contrast = browser.run(f"{CONTRAST}('{fore}', 'card')")
            check(contrast >= LEAST_CONTRAST, f"{fore} has contrast {contrast:.1f}, {scheme}")
    browser.prefer("light")
    browser.open(page)
    check(browser.run("['h1', 'main', 'header', 'aside'].every((tag) => document.querySelectorAll(tag).length === 1)"), "there are landmarks")
    levels = browser.run("[...document.querySelectorAll('h1, h2, h3, h4')].filter((h) => h.offsetParent).map((h) => Number(h.tagName[1]))")
    check(levels[0] == 1 and all(b <= a + 1 for a, b in zip(levels, levels[1:])), f"headings skip no level {levels}")
    check(browser.run("[...document.querySelectorAll('section')].every((s) => s.hasAttribute('aria-labelledby') || s.hasAttribute('aria-label'))"),
          "sections have names")
    browser.key("Tab")
    browser.key("Tab")
    check(browser.run("document.activeElement.matches('a.op')"), "Tab leads to the sentence")
    check(browser.run("getComputedStyle(document.activeElement).outlineStyle") != "none", "and is seen there")
    check(browser.run("performance.getEntriesByType('resource').length") == 0, "nothing else is loaded")


def today_in(text):
    now = datetime.datetime.now(datetime.timezone.utc)
    return any((now - datetime.timedelta(days=d)).strftime("%Y-%m-%d") in text for d in (0, 1))


def test_origin(browser, page):
    browser.open(page)
    told = browser.run("byId('run').textContent")
    check(f"seed {SEED}," in told, "the seed is the campaign's")
    check(today_in(told), "the date is today's")
    check(not browser.run("document.querySelector('#source .file').textContent").startswith("/"), "files are relative")


def test_without_script(browser, page):
    browser.scripts(False)
    try:
        browser.call("Page.navigate", url="file://" + os.path.abspath(page))  # no script, no settling
        while browser.receive().get("method") != "Page.loadEventFired":
            pass
        root = browser.call("DOM.getDocument")["root"]["nodeId"]

        def count(selector):
            return len(browser.call("DOM.querySelectorAll", nodeId=root, selector=selector)["nodeIds"])

        def visible(selector):
            node = browser.call("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
            try:
                return bool(browser.call("DOM.getBoxModel", nodeId=node))
            except RuntimeError:
                return False

        browser.resize(400, 800)
        check(browser.call("Page.getLayoutMetrics")["cssContentSize"]["width"] <= 400, "without scripts it fits 400 pixels")
        check(visible("#why-text") and visible("#run dl"), "without scripts the story is there")
        check(count("noscript table tbody tr") > 3 and visible("noscript table"), "and the last steps")
        check(not visible("#trace"), "and not what needs them")
        with open(page, encoding="utf-8") as file:
            text = file.read()
        for target in re.findall(r'class="op" href="#([^"]+)"', text):
            check(f'id="{target}"' in text, f"{target} leads somewhere")
    finally:
        browser.scripts(True)
        browser.resize(1400, 900)


def test_short_text(browser, page):
    browser.open(page)
    texts = browser.run("""report.trace.events.filter((event) => event.value !== undefined).map((event) =>
        [report.trace.operation(event), report.trace.operation(event, 16), event.value])""")
    texts = [(whole, short, value) for whole, short, value in texts if len(value) <= 4]
    check(all(len(short) <= 16 and short.endswith(f" = {value}") for _, short, value in texts),
          "where there is little room the value stays")
    check(any(short != whole for whole, short, _ in texts), "and the name gets shorter")


def test_long(browser, page):
    open_changed(browser, page, lambda data: stretch(data, LONG))
    check(browser.run("report.trace.rows.length") > LONG / 2, f"{LONG} events are shown")
    measure = """(() => {
      const lanes = report.lanes, times = [];
      for (let i = 0; i < 120; ++i) {
        lanes.scroller.scrollTop = i * 1777 % (lanes.trace.rows.length * lanes.rowHeight);
        const begin = performance.now();
        lanes.paintNow();
        lanes.painter.context.getImageData(0, 0, 1, 1);  // until it is really drawn
        times.push(performance.now() - begin);
      }
      return times.sort((a, b) => a - b)[60];
    })()"""
    scrolling = browser.run(measure)
    browser.run("report.lanes.fit()")
    browser.settle()
    whole = browser.run(measure)
    print(f"frame: {scrolling:.1f} ms while scrolling, {whole:.1f} ms with all of it in view")
    check(scrolling < MOST_MS and whole < MOST_MS, "frames are drawn in time")


def test_campaign(browser, page):
    browser.open(page)
    check(browser.run("document.querySelectorAll('#findings a').length") >= 1, "failures are linked")
    check(browser.run("document.querySelectorAll('#statistics div').length") > 10, "statistics are shown")
    check(browser.run("document.querySelectorAll('#plots svg').length") >= 2, "the course is drawn")
    found = browser.run("document.querySelector('#findings .found').textContent")
    check(f"seed {SEED}" in found and today_in(found), "a failure has its seed and date")
    figures = browser.run("""Object.fromEntries([...document.querySelectorAll('#statistics div')].map((div) =>
        [...div.children].map((part) => part.textContent)))""")
    check(figures["seed"] == SEED and today_in(figures["start time"]), "and so has the campaign")
    check(not any("[object" in value for value in figures.values()), f"statistics are for people {figures}")
    for width in WIDTHS:
        browser.resize(width, 900)
        check(browser.run("document.documentElement.scrollWidth <= innerWidth"), f"it fits {width} pixels")
    browser.resize(1400, 900)


def test_executions(browser, jostle, program, folder):
    """The tree of `verify --graph`, as a page of its own and on that of the campaign."""
    subprocess.run([jostle, "verify", "-k", "-q", "--minimize", "off", "-o", "verified", "--graph", "tree.html", program],
                   cwd=folder, stdout=subprocess.DEVNULL, check=False)
    subprocess.run([jostle, "report", "verified"], cwd=folder, stdout=subprocess.DEVNULL, check=True)
    index = glob.glob(folder + "/verified/*/index.html")[0]
    for page in (folder + "/tree.html", index):
        browser.open(page)
        rows = browser.run("document.querySelectorAll('.execution').length")
        failing = browser.run("document.querySelectorAll('.execution.fails').length")
        check(0 < failing < rows, "executions are shown, those that fail marked")
        check(browser.run("document.querySelector('.execution code').textContent").count(":") == 1, "races have lines")
        browser.run("document.getElementById('only-failing').click()")
        check(failing <= browser.run("document.querySelectorAll('.execution').length") <= rows, "others can be hidden")
        check("null" not in browser.run("document.getElementById('tree').textContent"), "nothing is missing")
        browser.resize(min(WIDTHS), 900)
        check(browser.run("document.documentElement.scrollWidth <= innerWidth"), f"it fits {min(WIDTHS)} pixels")
        browser.resize(1400, 900)


def find_failures(jostle, programs, folder):
    """Pages by the names of programs."""
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "twenty_threads.cc")
    shutil.copy(source, folder)
    subprocess.run([jostle, "c++", "-g", "-O1", "-pthread", "twenty_threads.cc", "-o", "twenty_threads"],
                   cwd=folder, check=True)
    for program in [*programs, "./twenty_threads"]:
        memory = ["--memory=c11"] if "/weak/" in program else []
        subprocess.run([jostle, "fuzz", "--seed", SEED, "-q", *memory, program], cwd=folder,
                       stdout=subprocess.DEVNULL, check=False)
    subprocess.run([jostle, "report"], cwd=folder, check=True)
    pages = sorted(glob.glob(folder + "/jostle-out/*/*/report.html"))
    check(len(pages) == len(programs) + 1, "every program has its report")
    return {page.split("/")[-3]: page for page in pages}


def main():
    chromium = find_chromium()
    if not chromium:
        print("skipped: no chromium (apt-get install chromium, or set JOSTLE_TEST_CHROMIUM)")
        return SKIPPED
    jostle, programs = os.path.abspath(sys.argv[1]), [os.path.abspath(p) for p in sys.argv[2:]]
    with tempfile.TemporaryDirectory(prefix="jostle-browser-test-") as folder:
        pages = find_failures(jostle, programs, folder)
        with Browser(chromium) as browser:
            for name, page in pages.items():
                print("page:", name)
                test_report(browser, page, "/deadlock-" in page)
                test_links(browser, page)
                test_layout(browser, page)
                test_origin(browser, page)
                test_without_script(browser, page)
            test_many_threads(browser, pages["twenty_threads"])
            test_arrows(browser, pages["twenty_threads"])
            test_short_text(browser, pages["twenty_threads"])
            test_stores(browser, pages["seqlock"])
            test_empty_lanes(browser, pages["lost_update"])
            test_access(browser, pages["lost_update"])
            test_long(browser, pages["lost_update"])
            for page in glob.glob(folder + "/jostle-out/*/index.html"):
                test_campaign(browser, page)
            test_executions(browser, jostle, next(p for p in programs if p.endswith("lost_update")), folder)
            check(browser.problems == [], f"the console is quiet {browser.problems}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
