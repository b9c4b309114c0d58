// SPDX-License-Identifier: Apache-2.0
// Commands that run while others do. Those that are left at the end of a test are killed.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

namespace jostle::test {

class Children {
 public:
  Children() = default;
  Children(const Children&) = delete;
  ~Children() {
    while (!children_.empty()) kill_hard(children_.back());
  }

  // In `folder`, with nothing to read. What it prints goes to `output`; its errors too, or nowhere.
  pid_t start(std::vector<std::string> words, const std::filesystem::path& folder,
              const std::string& output, bool with_errors) {
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const pid_t child = fork();
    if (child != 0) {
      children_.push_back(child);
      return child;
    }
    const int file = open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    dup2(nothing, 0);
    dup2(file, 1);
    dup2(with_errors ? file : nothing, 2);
    setpgid(0, 0);
    if (chdir(folder.c_str()) == 0) execv(arguments[0], arguments.data());
    _exit(127);
  }
  // Its exit code; -1: it died of a signal.
  int end_of(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    std::erase(children_, child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  void kill_hard(pid_t child) {
    kill(-child, SIGKILL);
    kill(child, SIGKILL);
    end_of(child);
  }

 private:
  std::vector<pid_t> children_;
};

}  // namespace jostle::test
