// SPDX-License-Identifier: Apache-2.0
// Starts the target: our library in front, fixed addresses, the channel open, dead when we are
// dead.
//
// The environment of the target gets LD_PRELOAD (libjostle.so) and LD_LIBRARY_PATH (the folder
// where libtsan.so.2 is us) in front of what was there; the runtime puts both back before the
// program looks. A set-up step that fails in the child is reported like an exec that failed: by a
// message here, with nothing started.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/cli/support/budget.h"
#include "src/cli/support/descriptor.h"
#include "src/cli/support/error.h"
#include "src/cli/target/shared_channel.h"

namespace jostle::cli {

class ForkServer;

// Where libjostle.so is: next to this command, or where JOSTLE_LIB says.
struct Installation {
  std::string library;         // …/lib/libjostle.so
  std::string tsan_directory;  // …/lib/jostle/tsan
  // Set when a program that waits in jostle::check has started us: targets are its children, and
  // not programs that we start. Of a plan then only the descriptors and the group count.
  std::shared_ptr<ForkServer> fork_server = {};
};

// As exec takes them: into the strings, with a null at the end.
std::vector<char*> raw_pointers(std::vector<std::string>& strings);

// To be called first: what is open now is for the programs that we start, as natively; what is
// opened later is not.
void note_inherited_descriptors();
// One of ours that is for them, too: the variable tells them its number.
void announce_descriptor(const char* variable, int descriptor);

// `preloads`: its path has to fit into LD_PRELOAD.
Result<Installation> find_installation(bool preloads = true);

// The variables that the target gets on top of ours. Values that were there are kept in the saved
// variables.
std::vector<std::pair<std::string, std::string>> target_environment(
    const Installation& installation, int channel_descriptor, const std::string& check = {});

struct LaunchPlan {
  std::string program;                 // a path
  std::vector<std::string> arguments;  // [0] included
  std::string directory = {};          // empty: ours
  std::string check = {};              // only this check of the program; empty: all of it
  int in = -1, out = -1, err = -1;     // -1: ours
  Budget budget = {};                  // when it is over, so is the process
  bool own_group = false;              // a process group of its own: Ctrl-C reaches only us
  int hub = -1;                        // descriptor of the campaign's hub, for the target to open
  // Fills in what a fresh channel needs besides the configuration.
  std::function<void(channel::Channel&)> prepare = {};
  // Put into the channel at every start.
  std::vector<channel::StopRange> stops = {};
};

class TargetProcess {
 public:
  explicit TargetProcess(pid_t pid, bool own_group, std::shared_ptr<ForkServer> parent = {});
  // Kills what still runs.
  ~TargetProcess();
  TargetProcess(TargetProcess&& other) noexcept
      : pid_(std::exchange(other.pid_, -1)),
        own_group_(other.own_group_),
        parent_(std::move(other.parent_)),
        watch_(std::move(other.watch_)) {}
  TargetProcess& operator=(TargetProcess&&) = delete;

  pid_t pid() const { return pid_; }
  // The status of waitpid once it has ended; nullopt when it still runs after `longest`, or a
  // signal came in.
  std::optional<int> wait(std::chrono::nanoseconds longest);
  // Without taking note of it.
  bool has_ended() const;
  // To its whole group if it has one of its own.
  void send(int signal) const;
  // SIGKILL, and its status.
  int kill();

 private:
  pid_t pid_;
  bool own_group_;
  std::shared_ptr<ForkServer> parent_;  // null: ourselves
  Descriptor watch_;                    // pidfd; not valid on old kernels
};

Result<TargetProcess> launch(const LaunchPlan& plan, SharedChannel& channel,
                             const Installation& installation);

}  // namespace jostle::cli
