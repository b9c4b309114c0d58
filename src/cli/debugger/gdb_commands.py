# SPDX-License-Identifier: Apache-2.0
# Commands for gdb: `jostle threads`, `jostle thread N`, `jostle goto N`, `jostle back`, reverse-*. Part of
# the jostle command, which hands this text to gdb, after a dictionary SETUP (src/cli/debugger/debugger.cc).
#
# The program's threads are fibers of one kernel thread: gdb sees the one that runs. The others are
# shown by loading the registers that they saved when they gave way (src/runtime/fiber/switch_*.S);
# the real ones are put back before anything runs.
#
# Going back is going there again: the program is started anew and does the same. Where it is, the
# runtime notes in memory that we share with it, and there it looks at which event it is to call
# jostle_event_hook.
import os
import struct

import gdb

# The fields of jostle_debugger_view (src/runtime/oracle/debugger_view.cc): words.
VIEW = ("threads", "slots", "current", "index", "live", "sp", "kind", "object", "place", "start")

# Offsets of saved registers, size of what was saved, and where the return address is.
LAYOUTS = {
    "aarch64": (dict({f"x{19 + i}": 8 * i for i in range(11)}), 176, 88),
    "i386:x86-64": ({"r15": 8, "r14": 16, "r13": 24, "r12": 32, "rbx": 40, "rbp": 48}, 64, 56),
}

real = {}  # registers of the thread that runs, while another one is shown
shown = None


def architecture():
    return gdb.selected_frame().architecture().name()


def read_number(address, size):
    return int.from_bytes(gdb.selected_inferior().read_memory(address, size), "little")


def read_word(address):
    return read_number(address, 8)


def registers():
    return list(LAYOUTS[architecture()][0]) + ["sp", "pc"]


def load(values):
    gdb.execute("frame 0", to_string=True)
    for name, value in values.items():
        gdb.execute(f"set ${name} = {value:#x}", to_string=True)
    gdb.execute("frame 0", to_string=True)


def restore():
    """The registers of the thread that runs again."""
    global shown
    if real:
        load(real)
        real.clear()
    shown = None


def threads():
    if not is_alive():
        raise gdb.GdbError("The program is not being run.")
    try:
        where = int(gdb.parse_and_eval("(unsigned long)&jostle_debugger_view"))
        view = {name: read_word(where + 8 * i) for i, name in enumerate(VIEW)}
        table, current = read_word(view["threads"]), read_word(view["current"])
        slots = read_number(view["slots"], 4) if current else 0
        found = [thread_at(read_word(table + 8 * slot), current, view) for slot in range(slots)]
    except gdb.error as error:
        raise gdb.GdbError(f"the threads cannot be looked at: {error}")
    return sorted((thread for thread in found if thread), key=lambda thread: thread["index"])


def thread_at(address, current, view):
    if not address or not read_number(address + view["live"], 1):
        return None
    thread = {name: read_word(address + view[name]) for name in ("sp", "object", "place", "start")}
    thread["index"] = read_number(address + view["index"], 4)
    thread["is_current"] = address == current
    thread["operation"] = SETUP["operations"][read_number(address + view["kind"], 1)]
    return thread


def title(thread):
    titles = SETUP.get("titles", [])
    if thread["index"] < len(titles):
        return titles[thread["index"]]
    if thread["index"] == 0:
        return "main"
    name = gdb.execute(f"info symbol {thread['start']:#x}", to_string=True).split(" in section")[0]
    return f"T{thread['index']}" + ("" if name.startswith("No symbol") else f" {name}")


def place(thread, all_threads):
    """The line of the program that the thread has come to."""
    try:
        if not thread["is_current"]:
            show(thread["index"], all_threads)
        frame = own_frame()
        line = frame.find_sal() if frame is not None else None
        if line is not None and line.symtab:
            return f"{line.symtab.filename.split('/')[-1]}:{line.line}"
        return ""
    except gdb.error:
        return ""
    finally:
        if not thread["is_current"]:
            restore()


class Jostle(gdb.Command):
    """A program under jostle: its threads, and its events forth and back."""

    def __init__(self):
        super().__init__("jostle", gdb.COMMAND_STACK, gdb.COMPLETE_NONE, True)


class Threads(gdb.Command):
    """jostle threads: all live threads, what each is about to do and where.
The one whose stack is shown is marked with >, the one that runs with *."""

    def __init__(self):
        super().__init__("jostle threads", gdb.COMMAND_STACK, gdb.COMPLETE_NONE)

    def invoke(self, argument, from_tty):
        now = shown
        lines = []
        with Quietly():
            restore()
            all_threads = threads()
            for thread in all_threads:
                marks = ("*" if thread["is_current"] else " ") + (">" if thread["index"] == now else " ")
                doing = "runs" if thread["is_current"] else thread["operation"]
                lines.append(f" {marks} {thread['index']:<3} {title(thread):<24} {doing:<14} "
                             f"{place(thread, all_threads)}".rstrip())
            if now is not None:
                show(now, all_threads)
            else:
                select_own_frame()
        print("\n".join(lines))


class Thread(gdb.Command):
    """jostle thread N: shows the stack of thread N (0: main); bt, up, print work on it.
Without N: of the thread that runs. The program goes on with the thread that runs in any case."""

    def __init__(self):
        super().__init__("jostle thread", gdb.COMMAND_STACK, gdb.COMPLETE_NONE)

    def invoke(self, argument, from_tty):
        wanted = None
        if argument.strip():
            try:
                wanted = int(argument.strip().lstrip("T"))
            except ValueError:
                raise gdb.GdbError(f"{argument} is no number of a thread: see jostle threads")
        with Quietly():
            restore()
            if wanted is not None:
                show(wanted, threads())
            select_own_frame()
        gdb.execute("bt")


def show(wanted, all_threads):
    global shown
    thread = next((t for t in all_threads if t["index"] == wanted), None)
    if thread is None:
        raise gdb.GdbError(f"there is no live thread {wanted}: see jostle threads")
    if thread["is_current"]:
        return
    if architecture() not in LAYOUTS:
        raise gdb.GdbError(f"not on {architecture()}")
    saved, size, return_address = LAYOUTS[architecture()]
    sp = thread["sp"]
    values = {name: read_word(sp + offset) for name, offset in saved.items()}
    values["pc"] = read_word(sp + return_address)
    values["sp"] = sp + size
    gdb.execute("frame 0", to_string=True)
    real.update({name: int(gdb.parse_and_eval(f"(unsigned long)${name}")) for name in registers()})
    load(values)
    shown = wanted


# ---- frames: the program's own, not those of the runtime beneath it ------------------------------

LIBRARIES = ("libjostle", "libtsan", "libc.so", "libc-", "libpthread", "libstdc++", "libgcc_s", "ld-linux")


def library_of(frame):
    # The call is before the address that it returns to.
    pc = frame.pc() - (0 if frame.level() == 0 else 1)
    name = (gdb.solib_name(pc) or "").split("/")[-1]
    return next((library for library in LIBRARIES if name.startswith(library)), None)


def is_runtime(frame):
    return library_of(frame) in ("libjostle", "libtsan")


class WithoutRuntime:
    """bt begins with the function of ours that the program called."""

    def __init__(self):
        self.name, self.priority, self.enabled = "jostle", 100, True
        gdb.frame_filters[self.name] = self

    def filter(self, frames):
        held = None
        for decorated in frames:
            frame = decorated.inferior_frame()
            if is_runtime(frame):
                held = decorated
                continue
            if held is not None and not (held.inferior_frame().name() or "__").startswith("__"):
                yield held
            yield decorated
            yield from frames
            return
        if held is not None:
            yield held


def is_own(frame):
    """Not a library's, and not what a header of one has been inlined from."""
    symtab = frame.find_sal().symtab
    return library_of(frame) is None and not (symtab and symtab.fullname().startswith("/usr/"))


def own_frame():
    """The innermost frame of the program's own code; else of the program; none: a library's alone."""
    frame, inside = gdb.newest_frame(), None
    while frame is not None and not is_own(frame):
        if inside is None and library_of(frame) is None:
            inside = frame
        frame = frame.older()
    return frame if frame is not None else inside


def select_own_frame():
    try:
        frame = own_frame()
        if frame is None or frame == gdb.newest_frame():
            return False
        frame.select()
        return True
    except gdb.error:
        return False


class Hook(gdb.Breakpoint):
    """A function of the runtime in which a run stops: what gdb would say of it nobody wants to know."""

    def __init__(self, function, stopped):
        super().__init__(function, internal=True)
        self.silent, self.stopped = True, stopped

    def stop(self):
        global at_hook
        at_hook = self.stopped
        gdb.execute("set suppress-cli-notifications on", to_string=True)
        return True


at_hook = None  # what there is to say of the stop that is about to be reported
is_at_event = False  # the program is about to do the last event that it has begun
is_at_failure = False
quiet = False


def say_failure():
    text = os.pread(SETUP["channel"], SETUP["message_size"], SETUP["message"]).split(b"\0")[0]
    print(f"jostle: the run fails: {text.decode(errors='replace') or 'the program has failed'}")


def say_event():
    number = position()
    print(f"jostle: event {number}, {thread_name(event_thread(number))} is about to do it")


def on_stop(event):
    global at_hook, is_at_event, is_at_failure
    said, at_hook = at_hook, None
    is_at_event = said is say_event
    is_at_failure = said is say_failure or isinstance(event, gdb.SignalEvent)
    if quiet:
        return
    if said is not None:
        gdb.execute("set suppress-cli-notifications off", to_string=True)
        said()
    if select_own_frame():
        gdb.execute("frame")


def set_hooks():
    """The functions are there only when the program runs: until then gdb would complain."""
    errors = []
    for function, said in (("jostle_failure_hook", say_failure), ("jostle_event_hook", say_event)):
        try:
            Hook(function, said)
        except (gdb.error, RuntimeError) as error:
            errors.append(str(error))
    return errors


def on_new_objfile(event):
    if hooks_wanted and event.new_objfile.filename.split("/")[-1].startswith(("libjostle", "libtsan")):
        hooks_wanted.clear()
        set_hooks()


hooks_wanted = [True]


# ---- events, forth and back ----------------------------------------------------------------------

def shared(name, size=8):
    if "channel" not in SETUP:
        raise gdb.GdbError("only with jostle replay --gdb: there is no schedule to follow again")
    data = os.pread(SETUP["channel"], size, SETUP[name])
    return int.from_bytes(data, "little")


def position():
    """How many events have begun."""
    return shared("count")


def event_field(number, field, size):
    offset = SETUP["trace"] + (number - 1) * SETUP["event_size"] + SETUP[field]
    return int.from_bytes(os.pread(SETUP["channel"], size, offset), "little")


def event_thread(number):
    return event_field(number, "thread", 4)


def event_line(number):
    place = gdb.find_pc_line(max(event_field(number, "pc", 8) - 1, 0))
    return (place.symtab.filename if place.symtab else None, place.line)


def thread_name(index):
    titles = SETUP.get("titles", [])
    return titles[index] if index < len(titles) else f"T{index}" if index else "main"


def is_alive():
    return gdb.selected_inferior().pid != 0


def moment():
    """Where the program is: a replay comes there again."""
    frame = gdb.newest_frame()
    return (position(), frame.pc(), int(frame.read_register("sp")))


def user_breakpoints():
    return [each for each in gdb.breakpoints() if each.number > 0 and each.enabled]


class Quietly:
    """Nothing is reported meanwhile."""

    def __enter__(self):
        global quiet
        quiet = True
        gdb.execute("set suppress-cli-notifications on", to_string=True)

    def __exit__(self, *_):
        global quiet
        quiet = False
        gdb.execute("set suppress-cli-notifications off", to_string=True)


class WithoutBreakpoints:
    def __enter__(self):
        self.disabled = user_breakpoints()
        for each in self.disabled:
            each.enabled = False

    def __exit__(self, *_):
        for each in self.disabled:
            if each.is_valid():
                each.enabled = True


def start_again(number):
    """A new run, which stops at this event; 0: at none."""
    restore()
    os.pwrite(SETUP["channel"], struct.pack("<Q", number), SETUP["stop"])
    gdb.execute("run", to_string=True)


def report():
    """What gdb would have said."""
    if not is_alive():
        print("jostle: the program has come to its end")
        return
    if is_at_event:
        say_event()
    if not select_own_frame():
        gdb.newest_frame().select()
    gdb.execute("frame")


def go_to(number):
    shared("count")  # or there is no replay
    if number < 1:
        raise gdb.GdbError("there is no event before the first")
    with Quietly(), WithoutBreakpoints():
        start_again(number)
    report()


def number_of(argument, otherwise):
    text = argument.strip()
    if not text and otherwise is not None:
        return otherwise
    try:
        return int(text, 0)
    except ValueError:
        raise gdb.GdbError(f"`{text}' is no number of an event")


class GoTo(gdb.Command):
    """jostle goto N: to the moment before event N of the run, forth or back.
The program is started anew and does the same. Breakpoints do not stop it on the way."""

    def __init__(self):
        super().__init__("jostle goto", gdb.COMMAND_RUNNING, gdb.COMPLETE_NONE)

    def invoke(self, argument, from_tty):
        go_to(number_of(argument, None))


class BackOneEvent(gdb.Command):
    """jostle back [K]: to the moment before the last event, or K events further back."""

    def __init__(self):
        super().__init__("jostle back", gdb.COMMAND_RUNNING, gdb.COMPLETE_NONE)

    def invoke(self, argument, from_tty):
        steps = number_of(argument, 1)
        now = position()
        go_to(now - steps + (0 if is_at_event else 1))


class ForthOneEvent(gdb.Command):
    """jostle forth [K]: to the moment before the next event, or the K-th from here."""

    def __init__(self):
        super().__init__("jostle forth", gdb.COMMAND_RUNNING, gdb.COMPLETE_NONE)

    def invoke(self, argument, from_tty):
        steps = number_of(argument, 1)
        if not is_alive():
            raise gdb.GdbError("The program is not being run.")
        restore()
        number = position() + steps
        os.pwrite(SETUP["channel"], struct.pack("<Q", number), SETUP["stop"])
        with Quietly(), WithoutBreakpoints():
            gdb.execute("continue", to_string=True)
        report()


class Where(gdb.Command):
    """jostle where: the number of the event that the program has come to, and whose it is."""

    def __init__(self):
        super().__init__("jostle where", gdb.COMMAND_STATUS, gdb.COMPLETE_NONE)

    def invoke(self, argument, from_tty):
        number = position()
        if number == 0:
            print("no event yet")
            return
        doing = "about to do" if is_at_event else "behind the begin of"
        print(f"{doing} event {number}, of {thread_name(event_thread(number))}")


def go_back_a_line():
    """To the last event of this thread on another line than this one."""
    now = position() - (1 if is_at_event else 0)
    if now < 1:
        raise gdb.GdbError("there is no event before this one")
    thread = event_thread(position())
    here = (None, 0)
    frame = gdb.selected_frame()
    if frame.find_sal().symtab:
        here = (frame.find_sal().symtab.filename, frame.find_sal().line)
    for number in range(now, 0, -1):
        if event_thread(number) == thread and event_line(number) != here:
            go_to(number)
            return
    raise gdb.GdbError("this thread has done nothing before this line that a schedule is made of")


def stops_before(now, was_at_event):
    """At breakpoints, on the way to this moment; with it, if it is one of them."""
    stops = []
    start_again(now[0] if was_at_event else 0)
    while is_alive() and not is_at_event and not is_at_failure and position() <= now[0]:
        stops.append(moment())
        if stops[-1] == now:
            break
        gdb.execute("continue", to_string=True)
    return stops


def continue_back():
    """To the last stop at a breakpoint before this one."""
    if not is_alive():
        raise gdb.GdbError("The program is not being run.")
    if not user_breakpoints():
        raise gdb.GdbError("there is no breakpoint to go back to: see also jostle back")
    now = moment()
    with Quietly():
        stops = stops_before(now, is_at_event)
        if stops and stops[-1] == now:
            stops.pop()
        if stops:
            start_again(0)
            for _ in range(len(stops) - 1):
                gdb.execute("continue", to_string=True)
    if not stops:
        print("jostle: no breakpoint was hit before; this is the first event")
        go_to(1)
        return
    report()


class Reverse(gdb.Command):
    def __init__(self, name, action, text):
        self.__doc__ = text
        self.action = action
        super().__init__(name, gdb.COMMAND_RUNNING, gdb.COMPLETE_NONE)

    def invoke(self, argument, from_tty):
        shared("count")
        for _ in range(number_of(argument, 1)):
            self.action()


def define_reverse():
    for name in ("reverse-continue", "rc"):
        Reverse(name, continue_back, "To the last stop at a breakpoint before this one, by replaying.")
    for name in ("reverse-step", "reverse-next", "rs", "rn"):
        Reverse(name, go_back_a_line, "To this thread's last event on another line, by replaying.")


class Restore(gdb.Command):
    """jostle restore: shows the thread that runs again, as before."""

    def __init__(self):
        super().__init__("jostle restore", gdb.COMMAND_STACK, gdb.COMPLETE_NONE)

    def invoke(self, argument, from_tty):
        restore()


Jostle()
Threads()
Thread()
Restore()
GoTo()
BackOneEvent()
ForthOneEvent()
Where()
WithoutRuntime()
for command in ("continue", "step", "next", "stepi", "nexti", "finish", "until", "advance", "run", "kill"):
    gdb.execute(f"define hook-{command}\njostle restore\nend", to_string=True)
if "channel" in SETUP:
    gdb.execute("set print thread-events off", to_string=True)
    define_reverse()
    gdb.events.stop.connect(on_stop)
    gdb.events.new_objfile.connect(on_new_objfile)
