#include "src/cli/debugger.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "src/cli/shared_channel.h"
#include "src/cli/values.h"

namespace jostle::cli {
namespace {

// gdb starts programs through $SHELL, which may be anything, /usr/sbin/nologin too.
constexpr char kShell[] = "/bin/sh";

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
  Result<SharedChannel> channel = SharedChannel::create();
  if (!channel) return channel.error();
  config.run_nanoseconds = 0;
  (*channel)->config = config;
  store_schedule(input, (*channel)->input);
  fcntl(channel->descriptor(), F_SETFD, 0);
  LaunchPlan inherited = plan;
  if (plan.in >= 0) {
    inherited.in = fcntl(plan.in, F_DUPFD, channel->descriptor() + 1);
    if (inherited.in < 0) inherited.in = fcntl(plan.in, F_DUPFD, 10);
  }
  std::vector<std::string> command = debugger_command(
      inherited, target_environment(installation, channel->descriptor()), arguments);
  std::vector<char*> raw;
  raw.reserve(command.size() + 1);
  for (std::string& word : command) raw.push_back(word.data());
  raw.push_back(nullptr);
  setenv("SHELL", kShell, 1);
  execvp(raw[0], raw.data());
  return {Exit::no_start,
          fmt::format("cannot start gdb: {} (is it installed?)", std::strerror(errno))};
}

}  // namespace jostle::cli
