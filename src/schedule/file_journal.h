// SPDX-License-Identifier: Apache-2.0
// What a run changes in the file system, and what was there before: enough to put it back. Plain
// data, part of the channel, so that the command can put back what a process that died could not.
//
// A record is made the first time a run of the campaign touches a path and stays: later runs only
// note that they touched it, too.
#pragma once

#include <atomic>
#include <cstdint>

namespace jostle::channel {

// What a campaign does about the files that its runs change.
enum class FileCare : uint32_t {
  none,     // nothing: a single run leaves what it leaves
  restore,  // they are put back after every run
  name,     // only says which (several workers share them)
};

enum class FileKind : uint32_t { absent, file, directory, link, other };

// Enough to tell whether somebody has changed a file.
struct FileState {
  uint64_t device, inode, size;
  int64_t modified_seconds, modified_nanoseconds;
  int64_t changed_seconds, changed_nanoseconds;
  bool operator==(const FileState&) const = default;
};

inline constexpr uint32_t kLongestPath = 1024;
struct FileRecord {
  char path[kLongestPath];  // absolute, without links on the way
  uint64_t path_hash;
  FileKind kind;  // before the first run that touched it
  uint32_t mode, user, group;
  uint32_t links;
  uint32_t touched;  // by the run that goes on
  uint32_t removed;  // by that run, and not made again
  uint32_t changed;  // runs have changed it, and it was not put back
  FileState before;
  FileState left;    // as we left it
  uint64_t content;  // offset into FileJournal::content: of a file, or where a link leads
  uint64_t content_size;
  char left_alone[96];  // why it is not put back; empty: it is
};

inline constexpr uint32_t kMaxFiles = 512;
inline constexpr uint64_t kLargestFile = uint64_t{4} << 20;
inline constexpr uint64_t kFileBytes = uint64_t{64} << 20;

// What the kernel keeps beside files when a process has ended: System V's memory, semaphores and
// messages, by their numbers, and POSIX's message queues, by their names.
enum class KernelObjectKind : uint32_t { none, being_noted, memory, semaphores, messages, queue };
struct KernelObjectRecord {
  std::atomic<KernelObjectKind> kind;
  int id;
  char name[256];
};
inline constexpr uint32_t kMaxKernelObjects = 64;

struct FileJournal {
  FileCare care;
  std::atomic<uint32_t> count;  // of records
  std::atomic<uint32_t> touched_count;
  std::atomic<uint64_t> used;          // of content
  std::atomic<uint32_t> some_changed;  // records whose files are not put back and have changed
  FileRecord records[kMaxFiles];
  uint32_t order[kMaxFiles];                      // of the touched ones
  KernelObjectRecord objects[kMaxKernelObjects];  // that the run has made and not removed
  std::atomic<uint32_t> has_made_objects;         // some run has
  char content[kFileBytes];
};

}  // namespace jostle::channel
