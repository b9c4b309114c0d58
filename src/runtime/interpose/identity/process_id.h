// SPDX-License-Identifier: Apache-2.0
// The ids of this process and of its parent, as the program sees them.
//
// They are the kernel's, but for runs that are children of one process in which something had asked
// for its id before main: a library that compares it with what main gets would find that it was
// forked. Such a run sees the id of the process that was launched. So do the children of the run,
// of their parent. Where an id passes between the program and the kernel, it is exchanged.
#pragma once

#include <signal.h>
#include <sys/types.h>

namespace jostle::rt {

// For ourselves: no hook, no note that the program had asked.
pid_t kernel_process_id();
pid_t kernel_parent_id();

pid_t seen_process_id();
pid_t seen_parent_id();

// Ids of other processes, 0 and negative ones are the same on both sides.
pid_t as_kernel_knows(pid_t process);
pid_t as_program_sees(pid_t process);
// A process group is named after its leader. The run's own, if it leads one.
pid_t group_as_kernel_knows(pid_t group);
// What kill and waitpid take: minus a group as well.
pid_t process_or_group_as_kernel_knows(pid_t either);
pid_t group_to_join(pid_t process, pid_t group);  // as setpgid has it

// The sender in what the kernel says of a signal or of a child.
void show_sender(siginfo_t& info);

// A path, which may be one below /proc/<id>. Long ones stay as they are.
class KernelPath {
 public:
  explicit KernelPath(const char* path);
  operator const char*() const { return path_; }

 private:
  const char* path_;
  char room_[128];
};

// The program has asked for its id.
void note_told_id();

// A process that is to be a run is a child of this one: to be called here, and with the result
// there.
struct ToldId {
  pid_t process = 0, parent = 0;  // 0: nobody has asked
};
ToldId told_id();
void keep_told_id(const ToldId& told);

}  // namespace jostle::rt
