#include "src/cli/debugger.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "src/cli/gdb_commands.h"
#include "src/cli/shared_channel.h"
#include "src/cli/values.h"

namespace jostle::cli {
namespace {

// As hexadecimal digits, because it has lines and quotes.
std::string commands_for_gdb() {
  std::string digits;
  for (const char c : kGdbCommands) digits += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return fmt::format("python exec(bytes.fromhex('{}').decode())", digits);
}

// gdb starts programs through $SHELL, which may be anything, /usr/sbin/nologin too.
constexpr char kShell[] = "/bin/sh";

std::vector<char*> raw_pointers(std::vector<std::string>& words) {
  std::vector<char*> raw;
  raw.reserve(words.size() + 1);
  for (std::string& word : words) raw.push_back(word.data());
  raw.push_back(nullptr);
  return raw;
}

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
    const std::vector<std::string>& arguments) {
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
  execute(commands_for_gdb());
  execute("set breakpoint pending on");
  execute(wrapper);
  if (const char* shell = std::getenv("SHELL")) {
    execute(fmt::format("set environment SHELL {}", shell));
  } else {
    execute("unset environment SHELL");
  }
  if (!words.empty()) execute("set args " + words);
  if (!plan.directory.empty()) execute("set cwd " + plan.directory);
  // What is no signal (a deadlock, say) the runtime announces by calling this.
  execute("break jostle_failure_hook");
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
      inherited, target_environment(installation, channel->descriptor(), plan.check), arguments);
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
      "gdb", "-q", "-p", std::to_string(pid), "-ex", commands_for_gdb()};
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
