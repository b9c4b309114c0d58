#!/usr/bin/env python3
"""Opens reports in a headless Chromium and uses them as a person would.

usage: reports_test.py JOSTLE PROGRAM... : programs in which jostle finds a failure, at least one a
deadlock. Ends with 77 (skipped) when there is no Chromium.
"""
import glob
import json
import os
import random
import re
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


def check(condition, what):
    if not condition:
        raise AssertionError(what)
    print("ok:", what)


def stretch(page, count):
    """The same report with `count` events, as a program with eight busy threads would give."""
    data = json.loads(DATA.search(page).group(2))
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
    data.update(events=events, stretches=stretches, holds=holds, waits=[], steps=count, thread=0)
    text = json.dumps(data).replace("<", "\\u003c")
    return DATA.sub(lambda match: match.group(1) + text + match.group(3), page)


def click_row(browser, row):
    """Clicks on a row in view, in the lane of its event."""
    x, y = browser.run(f"""(() => {{
      const lanes = report.lanes, box = lanes.canvas.getBoundingClientRect();
      lanes.reveal({row});
      lanes.paintNow();
      const event = report.trace.eventAt({row});
      return [box.left + lanes.painter.lane.get(event.thread).glyph + 20 - lanes.scroller.scrollLeft,
              box.top + ({row} + 0.5) * lanes.rowHeight - lanes.scroller.scrollTop];
    }})()""")
    browser.click(x, y)


def title(browser):
    return browser.run("byId('selected-title').textContent")


def test_report(browser, page, is_deadlock):
    browser.open(page)
    check(title(browser).startswith("\u2717"), "the failure is chosen at first")
    check(browser.run("byId('waits').hidden") is not is_deadlock, "who waits is shown for a deadlock")
    if is_deadlock:
        check(browser.run("document.querySelectorAll('#waits-drawing path').length") >= 6,
              "the cycle is drawn")
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
    check(browser.run("byId('lane-heads-row').children.length") == lanes - 1, "with its lane")
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


def test_long(browser, page):
    with tempfile.NamedTemporaryFile("w", suffix=".html", encoding="utf-8") as file:
        with open(page, encoding="utf-8") as original:
            file.write(stretch(original.read(), LONG))
        file.flush()
        browser.open(file.name)
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


def main():
    chromium = find_chromium()
    if not chromium:
        print("skipped: no chromium (apt-get install chromium, or set JOSTLE_TEST_CHROMIUM)")
        return SKIPPED
    jostle, programs = os.path.abspath(sys.argv[1]), [os.path.abspath(p) for p in sys.argv[2:]]
    with tempfile.TemporaryDirectory(prefix="jostle-browser-test-") as folder:
        for program in programs:
            subprocess.run([jostle, "fuzz", "--seed", "1", "-q", program], cwd=folder,
                           stdout=subprocess.DEVNULL, check=False)
        subprocess.run([jostle, "report"], cwd=folder, check=True)
        pages = sorted(glob.glob(folder + "/jostle-out/*/*/report.html"))
        check(len(pages) == len(programs), "every program has its report")
        with Browser(chromium) as browser:
            for page in pages:
                print("page:", os.path.relpath(page, folder))
                test_report(browser, page, "/deadlock-" in page)
            test_long(browser, pages[0])
            for page in glob.glob(folder + "/jostle-out/*/index.html"):
                test_campaign(browser, page)
            check(browser.problems == [], f"the console is quiet {browser.problems}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
