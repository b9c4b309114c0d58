// SPDX-License-Identifier: Apache-2.0
#include "src/cli/stepping/step_session.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/uio.h>

#include <csignal>
#include <cstring>

#include "src/base/rng.h"
#include "src/cli/campaign/progress_display.h"
#include "src/cli/debugger/debugger.h"
#include "src/cli/findings/single_run.h"
#include "src/cli/options/command_line.h"
#include "src/cli/support/terminal.h"
#include "src/cli/target/execution.h"
#include "src/report/model/failure_kinds.h"
#include "src/report/text/stack_text.h"
#include "src/report/text/step_view.h"
#include "src/report/text/threads_block.h"
#include "src/report/words/record_view.h"
#include "src/report/words/text.h"

namespace jostle::cli {
namespace {

using channel::StepOrder;
using channel::StepStop;
using channel::ThreadReport;

constexpr size_t kMostListed = 40;
constexpr size_t kMostInPrompt = 6;

const ThreadReport* find_live(const channel::RunRecord& record, uint32_t thread) {
  for (const ThreadReport& report : report::reports(record)) {
    if (report.thread == thread && report.state != channel::ThreadState::finished) return &report;
  }
  return nullptr;
}

void say(const std::string& text) {
  fmt::print("{}", text);
  std::fflush(stdout);
}

}  // namespace

StepSession::StepSession(StepSetup setup, TargetProcess process, LineSource source)
    : setup_(std::move(setup)),
      channel_(*setup_.channel),
      conversation_(channel_, std::move(process)),
      source_(std::move(source)),
      interactive_(source_.is_terminal()),
      colour_(wants_colour(STDOUT_FILENO)) {}

int StepSession::run() {
  if (conversation_.wait_for_stop()) {
    show_threads();
  } else {
    program_ended();
  }
  while (!quit_) {
    const auto line = read_line();
    if (!line) break;
    StepCommand command = parse_step_command(*line);
    if (command.kind == Kind::repeat) command = last_;
    perform(command);
  }
  if (exit_code_) return *exit_code_;
  conversation_.kill();
  return static_cast<int>(Exit::ok);
}

// nullopt: no more commands will come.
std::optional<std::string> StepSession::read_line() {
  while (true) {
    if (interactive_) show_prompt();
    const bool had_ended = exit_code_.has_value();
    auto line = source_.next([&] {
      const int signal = conversation_.take_signal();
      if (signal != 0 && signal != SIGINT) {
        conversation_.kill();
        quit_ = true;
      }
      return signal != 0 || (!had_ended && conversation_.has_ended());
    });
    // It may have died while we waited for the line.
    if (!had_ended && conversation_.has_ended()) program_ended();
    if (line || quit_ || source_.at_end()) return line;
    if (interactive_) say("\n");
  }
}

void StepSession::show_prompt() {
  if (exit_code_) return say("the program has ended: [save FILE] [q] ");
  std::string text = "run which?";
  size_t named = 0;
  for (const ThreadReport& thread : report::reports(channel_.record)) {
    if (!report::can_be_chosen(channel_.record, thread) || named++ >= kMostInPrompt) continue;
    text += fmt::format(" [{}] {}", thread.thread, label(thread.thread));
  }
  if (named > kMostInPrompt) text += " …";
  say(text + " [n 10] [until PLACE] [save FILE] [help] [q] ");
}

// What works whether or not the program still runs.
bool StepSession::perform_anywhere(const StepCommand& command) {
  switch (command.kind) {
    case Kind::wrong:
      note(command.text);
      return true;
    case Kind::nothing:
    case Kind::repeat:
      return true;
    case Kind::help:
      say(kStepHelp);
      return true;
    case Kind::save:
      save(command.text);
      return true;
    case Kind::quit:
      quit_ = true;
      return true;
    default:
      return false;
  }
}

void StepSession::perform(const StepCommand& command) {
  if (perform_anywhere(command)) return;
  if (exit_code_) return note("the program has ended: only save FILE and q are left");
  switch (command.kind) {
    case Kind::threads:
      return show_threads();
    case Kind::locks:
      return show_locks();
    case Kind::stack:
      return show_stack(command.thread == StepCommand::kWhoRuns ? channel_.step.current
                                                                : command.thread);
    case Kind::gdb:
      return attach(command.words);
    default:
      return let_run(command);
  }
}

// ---- running ----------------------------------------------------------------------------------

void StepSession::let_run(const StepCommand& command) {
  last_ = command;
  if (!fill_order(command)) return;
  std::fflush(stdout);
  advance(command);
}

// False: it cannot be done, and that has been said.
bool StepSession::fill_order(const StepCommand& command) {
  channel::StepExchange& step = channel_.step;
  step.count = command.count;
  step.until = command.until ? 1 : 0;
  if (command.until) std::memset(step.passed, 0, sizeof step.passed);
  if (command.kind == Kind::thread) {
    step.order = StepOrder::thread;
    step.thread = command.thread;
    const std::string problem = why_not(command.thread);
    if (!problem.empty()) note(problem);
    return problem.empty();
  }
  step.order = StepOrder::onward;
  if (command.kind != Kind::strategy) return true;
  channel::Config config = channel_.config;
  if (!command.text.empty()) {
    if (const auto problem = read_strategy(command.text, config)) {
      note(*problem);
      return false;
    }
  }
  step.order = StepOrder::strategy;
  step.seed = mix_seeds(config.seed, ++handed_over_);
  std::memcpy(step.strategy, config.strategy, sizeof step.strategy);
  return true;
}

// Why the thread cannot run now; empty when it can.
std::string StepSession::why_not(uint32_t thread) {
  report::Names names(channel_.record, symbols());
  const std::string label = names.label(thread);
  const ThreadReport* found = find_live(channel_.record, thread);
  if (found == nullptr) {
    const bool existed = thread < report::threads(channel_.record.schedule).size();
    return existed ? label + " has ended" : "there is no " + label;
  }
  if (report::can_be_chosen(channel_.record, *found)) return {};
  if (found->state == channel::ThreadState::runnable) {
    return label + " is put aside: it only spins, or has run for long; others come first";
  }
  const report::ReadMemory nothing = [](uintptr_t, uint32_t) { return std::nullopt; };
  return fmt::format("{} is blocked: {}", label, report::pending_text(*found, names, nothing));
}

// Sends the order and waits until there is something to see.
void StepSession::advance(const StepCommand& command) {
  channel::StepExchange& step = channel_.step;
  while (true) {
    conversation_.send();
    if (!conversation_.wait_for_stop()) return program_ended();
    if (step.stop != StepStop::place) break;
    step.order = is_wanted(command.place) ? StepOrder::look : StepOrder::go_on;
  }
  tell_stop(command);
  show_threads();
}

// Is the operation that comes next at the place? Looked for from the innermost frame to the first
// that is not of a library. If not, the program need not ask again: for all operations at that
// address when its own code decides it, otherwise for those with the same stack.
bool StepSession::is_wanted(const Place& place) {
  channel::StepExchange& step = channel_.step;
  const uint32_t depth = std::min<uint32_t>(step.place.depth, channel::kMaxStack);
  uint64_t passed = step.place_hash;
  bool own = false;
  for (uint32_t i = 0; i < depth && !own; ++i) {
    for (const report::Frame& frame : symbols().frames(step.place.pc[i])) {
      if (is_at(frame, place)) return true;
      own = own || !frame.plumbing;
    }
    if (own && i == 0) passed = step.place.pc[0];
  }
  step.passed[channel::step_place(passed)] = passed;
  return false;
}

void StepSession::tell_stop(const StepCommand& command) {
  switch (channel_.step.stop) {
    case StepStop::looked:
      return say(fmt::format("{} has come to {}\n", label(channel_.step.next), command.text));
    case StepStop::interrupted:
      return say("interrupted\n");
    case StepStop::cannot:
      return say(why_not(command.thread) + "\n");
    default:
      return;
  }
}

void StepSession::program_ended() {
  const int status = conversation_.status();
  std::fflush(stdout);
  if (channel_.status.attached == 0 && !conversation_.was_killed()) {
    exit_code_ = fail(not_attached(setup_.plan, channel_, status));
    quit_ = true;
    return;
  }
  if (conversation_.was_killed()) {
    exit_code_ = static_cast<int>(Exit::interrupted);
    quit_ = true;
    return;
  }
  settle(channel_.record.end, status, false);
  say(fmt::format("the program has ended: {}\n", report::summary(channel_.record.end)));
  exit_code_ = conclude({channel_, status, false}, {});
}

// ---- looking ----------------------------------------------------------------------------------

void StepSession::show_threads() {
  const auto read = [this](uintptr_t address, uint32_t size) { return read_memory(address, size); };
  say(report::step_view(channel_, symbols(), read,
                        {colour_, kMostListed, terminal_columns(STDOUT_FILENO)}));
}

void StepSession::show_locks() {
  report::Names names(channel_.record, symbols());
  say(report::threads_block(channel_.record, symbols(), names, kMostListed,
                            terminal_columns(STDOUT_FILENO)));
}

void StepSession::show_stack(uint32_t thread) {
  const ThreadReport* found = find_live(channel_.record, thread);
  if (found == nullptr) return note(why_not(thread));
  say(report::stack_lines(report::stack_frames(found->stack, false, symbols()), true,
                          terminal_columns(STDOUT_FILENO), SIZE_MAX));
}

std::string StepSession::label(uint32_t thread) {
  return report::Names(channel_.record, symbols()).label(thread);
}

report::Symbolizer& StepSession::symbols() {
  const auto modules = report::modules(channel_);
  if (!symbols_ || modules.size() != modules_) {
    symbols_.emplace(modules);
    modules_ = modules.size();
  }
  return *symbols_;
}

std::optional<uint64_t> StepSession::read_memory(uintptr_t address, uint32_t size) const {
  uint64_t value = 0;
  const iovec here{&value, size};
  const iovec there{reinterpret_cast<void*>(address), size};
  const ssize_t n = process_vm_readv(conversation_.pid(), &here, 1, &there, 1, 0);
  if (n != static_cast<ssize_t>(size)) return std::nullopt;
  return value;
}

// ---- the rest ---------------------------------------------------------------------------------

void StepSession::save(const std::string& path) {
  Recording recording = setup_.recording;
  const channel::RunRecord& record = channel_.record;
  recording.log = copy_schedule(record.schedule);
  recording.failure = record.end;
  if (!exit_code_) {
    // Not over: what has been logged, and how far the running thread has got since.
    recording.failure = {};
    recording.failure.thread = channel_.step.current;
    recording.log.segments.push_back(channel_.step.running);
  }
  Result<AtomicFile> file = AtomicFile::open(path);
  if (!file) return note(file.error().message);
  if (const auto error = save_recording(std::move(recording), channel_, path, *file)) {
    return note(error->message);
  }
  say(fmt::format("saved to {}{}\n", path, exit_code_ ? "" : " (the run so far)"));
}

void StepSession::attach(const std::vector<std::string>& words) {
  // A script is ours: gdb must not read on in it.
  const Descriptor null(open("/dev/null", O_RDONLY | O_CLOEXEC));
  const int in = source_.is_terminal() ? source_.descriptor() : null.get();
  std::fflush(stdout);
  if (const auto error = attach_debugger(conversation_.pid(), words, in)) note(error->message);
  conversation_.take_signal();  // Ctrl-C was for gdb
  if (conversation_.has_ended()) return program_ended();
  show_threads();
}

}  // namespace jostle::cli
