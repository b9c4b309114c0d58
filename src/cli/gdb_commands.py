# Commands for gdb: `jostle threads`, `jostle thread N`. Part of the jostle command, which hands this
# text to gdb.
#
# The program's threads are fibers of one kernel thread: gdb sees the one that runs. The others are
# shown by loading the registers that they saved when they gave way (src/runtime/fiber/switch_*.S);
# the real ones are put back before anything runs.
import gdb

FIELDS = ("index", "sp", "is_current", "operation", "object", "place", "start")

# Offsets of saved registers, size of what was saved, and where the return address is.
LAYOUTS = {
    "aarch64": (dict({f"x{19 + i}": 8 * i for i in range(11)}), 176, 88),
    "i386:x86-64": ({"r15": 8, "r14": 16, "r13": 24, "r12": 32, "rbx": 40, "rbp": 48}, 64, 56),
}

real = {}  # registers of the thread that runs, while another one is shown
shown = None


def architecture():
    return gdb.selected_frame().architecture().name()


def read_word(address):
    return int(gdb.parse_and_eval(f"*(unsigned long*){address:#x}"))


def registers():
    return list(LAYOUTS[architecture()][0]) + ["sp", "pc"]


def load(values):
    gdb.execute("frame 0", to_string=True)
    for name, value in values.items():
        gdb.execute(f"set ${name} = {value:#x}", to_string=True)
    gdb.execute("frame 0", to_string=True)


def back():
    """The registers of the thread that runs again."""
    global shown
    if real:
        load(real)
        real.clear()
    shown = None


def threads():
    ask = "((unsigned long*(*)(unsigned long))jostle_debugger_thread)"
    found, slot = [], 0
    while True:
        try:
            answer = gdb.parse_and_eval(f"{ask}({slot})")
        except gdb.error as error:
            raise gdb.GdbError(f"the threads cannot be looked at: {error}")
        if int(answer) == 0:
            break
        thread = {name: int(answer[i]) for i, name in enumerate(FIELDS)}
        if thread["index"] != 2**64 - 1:
            found.append(thread)
        slot += 1
    return sorted(found, key=lambda thread: thread["index"])


def title(thread):
    if thread["index"] == 0:
        return "main"
    name = gdb.execute(f"info symbol {thread['start']:#x}", to_string=True).split(" in section")[0]
    return f"T{thread['index']}" + ("" if name.startswith("No symbol") else f" {name}")


def place(thread):
    if thread["place"] == 0:
        return ""
    line = gdb.find_pc_line(thread["place"] - 1)
    if line.symtab:
        return f"{line.symtab.filename.split('/')[-1]}:{line.line}"
    return f"{thread['place']:#x}"


class Jostle(gdb.Command):
    """The threads of a program under jostle: jostle threads, jostle thread N."""

    def __init__(self):
        super().__init__("jostle", gdb.COMMAND_STACK, gdb.COMPLETE_NONE, True)


class Threads(gdb.Command):
    """jostle threads: all live threads, what each is about to do and where.
The one whose stack is shown is marked with >, the one that runs with *."""

    def __init__(self):
        super().__init__("jostle threads", gdb.COMMAND_STACK, gdb.COMPLETE_NONE)

    def invoke(self, argument, from_tty):
        now = shown
        back()
        all_threads = threads()
        for thread in all_threads:
            marks = ("*" if thread["is_current"] else " ") + (">" if thread["index"] == now else " ")
            doing = "runs" if thread["is_current"] else gdb.Value(thread["operation"]).cast(
                gdb.lookup_type("char").pointer()).string()
            print(f" {marks} {thread['index']:<3} {title(thread):<24} {doing:<14} {place(thread)}")
        if now is not None:
            show(now, all_threads)


class Thread(gdb.Command):
    """jostle thread N: shows the stack of thread N (0: main); bt, up, print work on it.
Without N: of the thread that runs. The program goes on with the thread that runs in any case."""

    def __init__(self):
        super().__init__("jostle thread", gdb.COMMAND_STACK, gdb.COMPLETE_NONE)

    def invoke(self, argument, from_tty):
        back()
        if argument.strip():
            try:
                wanted = int(argument.strip().lstrip("T"))
            except ValueError:
                raise gdb.GdbError(f"{argument} is no number of a thread: see jostle threads")
            show(wanted, threads())
        gdb.execute("bt")


class Back(gdb.Command):
    """jostle back: shows the thread that runs again, as before."""

    def __init__(self):
        super().__init__("jostle back", gdb.COMMAND_STACK, gdb.COMPLETE_NONE)

    def invoke(self, argument, from_tty):
        back()


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


Jostle()
Threads()
Thread()
Back()
for command in ("continue", "step", "next", "stepi", "nexti", "finish", "until", "advance", "run", "kill"):
    gdb.execute(f"define hook-{command}\njostle back\nend", to_string=True)
