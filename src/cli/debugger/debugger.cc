// SPDX-License-Identifier: Apache-2.0
#include "src/cli/debugger/debugger.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "src/cli/debugger/gdb_commands.h"
#include "src/cli/support/values.h"
#include "src/cli/target/execution.h"
#include "src/cli/target/shared_channel.h"
#include "src/cli/target/standard_input.h"
#include "src/report/model/names/names.h"
#include "src/report/symbols/symbolizer.h"
#include "src/report/words/record_view.h"

namespace jostle::cli {
namespace {

// As hexadecimal digits, because it has lines and quotes. Names that it defines are gdb's from then
// on: the functions refer to each other by them.
std::string commands_for_gdb(const std::string& setup) {
  std::string digits;
  const auto add = [&](std::string_view text) {
    for (const char c : text) digits += fmt::format("{:02x}", static_cast<unsigned char>(c));
  };
  add("SETUP = " + setup + "\n");
  add(kGdbCommands);
  return fmt::format("python exec(bytes.fromhex('{}').decode())", digits);
}

// What operations are called, by their numbers.
std::string operation_names() {
  std::string list;
  for (int i = 0; i < kOpKinds; ++i) list += fmt::format("\"{}\", ", name(static_cast<OpKind>(i)));
  return fmt::format(R"("operations": [{}])", list);
}

std::string setup_without_replay() { return "{" + operation_names() + "}"; }

// Where in the channel is what, and what the threads are called.
std::string setup_of_replay(int channel, const std::vector<std::string>& titles) {
  std::string list;
  for (const std::string& title : titles) {
    list += '"';
    for (const char c : title) {
      if (c == '"' || c == '\\') list += '\\';
      list += c;
    }
    list += "\", ";
  }
  using channel::Channel, channel::Config, channel::RunRecord, channel::TraceEvent;
  return fmt::format(
      R"({{"channel": {}, "stop": {}, "count": {}, "trace": {}, "event_size": {}, "thread": {}, )"
      R"("pc": {}, "message": {}, "message_size": {}, {}, "titles": [{}]}})",
      channel, offsetof(Channel, config) + offsetof(Config, stop_at_event),
      offsetof(Channel, record) + offsetof(RunRecord, trace_count),
      offsetof(Channel, record) + offsetof(RunRecord, trace), sizeof(TraceEvent),
      offsetof(TraceEvent, thread), offsetof(TraceEvent, pc),
      offsetof(Channel, record) + offsetof(RunRecord, end) + offsetof(channel::Failure, message),
      sizeof(channel::Failure::message), operation_names(), list);
}

// Nothing where the run cannot be had: gdb then shows the functions that threads begin with.
std::vector<std::string> thread_titles(LaunchPlan plan, const channel::Config& config,
                                       const ScheduleLog& input, const Installation& installation) {
  const Descriptor null(open("/dev/null", O_WRONLY | O_CLOEXEC));
  const Descriptor again = plan.in < 0 ? Descriptor() : reopen(plan.in);
  if (again.valid()) plan.in = again.get();
  plan.out = plan.err = null.get();
  plan.own_group = true;
  std::vector<std::string> titles;
  const Result<Execution> run = execute(plan, config, &input, installation);
  if (!run || run->interrupted) return titles;
  report::Symbolizer symbols(report::modules(*run->channel));
  report::Names names(run->record(), symbols);
  const uint32_t count = run->record().schedule.thread_count;
  for (uint32_t i = 0; i < count; ++i) titles.push_back(names.title(i));
  return titles;
}

// gdb starts programs through $SHELL, which may be anything, /usr/sbin/nologin too.
constexpr char kShell[] = "/bin/sh";

Error no_debugger(int error) {
  return {Exit::no_start,
          fmt::format("cannot start gdb: {} (is it installed?)", std::strerror(error))};
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

// What a child of ours that is no ancestor of the process gets for an answer: 0, or the error.
int try_tracing(pid_t pid) {
  const pid_t child = fork();
  if (child < 0) return errno;
  if (child == 0) {
    _exit(ptrace(PTRACE_SEIZE, pid, nullptr, nullptr) == 0 ? 0 : errno);  // its end detaches
  }
  return WEXITSTATUS(wait_for(child));
}

}  // namespace

std::vector<std::string> debugger_command(
    const LaunchPlan& plan, const std::vector<std::pair<std::string, std::string>>& variables,
    const std::string& setup, const std::vector<std::string>& arguments) {
  std::string wrapper = "set exec-wrapper env";
  for (const auto& [name, value] : variables) wrapper += " " + name + "=" + shell_quote(value);
  std::string words;
  for (size_t i = 1; i < plan.arguments.size(); ++i) words += shell_quote(plan.arguments[i]) + " ";
  if (plan.in >= 0) words += fmt::format("< /dev/fd/{}", plan.in);
  std::vector<std::string> command = {"gdb", "-q"};
  const auto execute = [&](const std::string& line) {
    command.emplace_back("-ex");
    command.push_back(line);
  };
  execute("set confirm off");
  execute(commands_for_gdb(setup));
  execute("set breakpoint pending on");
  execute(wrapper);
  if (const char* shell = std::getenv("SHELL")) {
    execute(fmt::format("set environment SHELL {}", shell));
  } else {
    execute("unset environment SHELL");
  }
  if (!words.empty()) execute("set args " + words);
  if (!plan.directory.empty()) execute("set cwd " + plan.directory);
  if (arguments.empty()) {
    execute("run");
  } else {
    command.insert(command.end(), arguments.begin(), arguments.end());
  }
  command.push_back(plan.program);
  return command;
}

Error become_debugger(const LaunchPlan& plan, channel::Config config, const ScheduleLog& input,
                      const Installation& installation, const std::vector<std::string>& arguments) {
  const std::vector<std::string> titles = thread_titles(plan, config, input, installation);
  Result<SharedChannel> channel = create_channel();
  if (!channel) return channel.error();
  config.run_nanoseconds = 0;
  (*channel)->config = config;
  store_for_target(input, **channel);
  fcntl(channel->descriptor(), F_SETFD, 0);
  LaunchPlan inherited = plan;
  if (plan.in >= 0) {
    inherited.in = fcntl(plan.in, F_DUPFD, channel->descriptor() + 1);
    if (inherited.in < 0) inherited.in = fcntl(plan.in, F_DUPFD, 10);
  }
  std::vector<std::string> command = debugger_command(
      inherited, target_environment(installation, channel->descriptor(), plan.check),
      setup_of_replay(channel->descriptor(), titles), arguments);
  std::vector<char*> raw = raw_pointers(command);
  setenv("SHELL", kShell, 1);
  execvp(raw[0], raw.data());
  return no_debugger(errno);
}

MaybeError attach_debugger(pid_t pid, const std::vector<std::string>& arguments, int in) {
  if (const int error = try_tracing(pid); error != 0) {
    return Error{Exit::no_start,
                 fmt::format("gdb may not attach to process {}: {} (containers need "
                             "--cap-add=SYS_PTRACE; see /proc/sys/kernel/yama/ptrace_scope)",
                             pid, std::strerror(error))};
  }
  std::vector<std::string> command = {
      "gdb", "-q", "-p", std::to_string(pid), "-ex", commands_for_gdb(setup_without_replay())};
  command.insert(command.end(), arguments.begin(), arguments.end());
  std::vector<char*> raw = raw_pointers(command);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
  pid_t debugger = 0;
  const int error = posix_spawnp(&debugger, raw[0], &actions, nullptr, raw.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return no_debugger(error);
  wait_for(debugger);
  return std::nullopt;
}

}  // namespace jostle::cli
