// SPDX-License-Identifier: Apache-2.0
// Files that are there completely or not at all.
#pragma once

#include <string>
#include <string_view>

#include "src/cli/support/descriptor.h"
#include "src/cli/support/error.h"

namespace jostle::cli {

// What went wrong (an errno), and what to do about it.
Error cannot_write(const std::string& path, int error);

// A file that appears under its name only when its content is complete. Opening it makes sure that
// it can be written; without commit it leaves nothing behind.
class AtomicFile {
 public:
  static Result<AtomicFile> open(const std::string& path);
  ~AtomicFile();
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;

  MaybeError commit(std::string_view text);

 private:
  AtomicFile(std::string path, std::string temporary, Descriptor file)
      : path_(std::move(path)), temporary_(std::move(temporary)), file_(std::move(file)) {}

  std::string path_;
  std::string temporary_;  // empty: written in place (a device), or done
  Descriptor file_;
};

// Removes what processes that were killed while they wrote have left in a folder.
void remove_leftovers(const std::string& folder);

// "Bank, transfer" → "Bank--transfer": what checks and tests are called may be anything.
std::string file_name_for(std::string_view name);

// The folder of one program's findings, <base>/<program>.
class OutputFolder {
 public:
  // Makes it and finds out whether it can be written to.
  static Result<OutputFolder> open(const std::string& base, const std::string& program);

  // That of a worker: it is there, and its own. Failures go to a folder that many share, on the
  // same file system.
  static OutputFolder of_worker(const std::string& path, const std::string& findings) {
    return OutputFolder(path, findings);
  }

  const std::string& path() const { return path_; }
  const std::string& findings() const { return findings_; }
  // Others write there at the same time.
  bool is_shared() const { return findings_ != path_; }

 private:
  OutputFolder(std::string path, std::string findings)
      : path_(std::move(path)), findings_(std::move(findings)) {}
  std::string path_;
  std::string findings_;
};

// The folder of one finding while it is being written; it gets its name at the end.
class Draft {
 public:
  static Result<Draft> begin(const OutputFolder& folder);
  ~Draft();
  Draft(Draft&& other) noexcept
      : parent_(std::move(other.parent_)),
        path_(std::exchange(other.path_, {})),
        is_shared_(other.is_shared_) {}
  Draft& operator=(Draft&&) = delete;

  // A new file in it, for a process to write to.
  Result<Descriptor> create(const std::string& name) const;
  MaybeError write(const std::string& name, std::string_view text) const;

  struct Published {
    std::string path;
    bool is_new;  // false: one with the same signature was there and has been kept
  };
  // Where the finding will be: <kind>-<six digits of the signature>, more digits if those are
  // taken by another; all of them in a folder that others write to at the same time.
  Published destination(std::string_view kind, uint64_t signature) const;
  MaybeError publish(const Published& destination);

 private:
  Draft(std::string parent, std::string path, bool is_shared)
      : parent_(std::move(parent)), path_(std::move(path)), is_shared_(is_shared) {}
  std::string parent_;
  std::string path_;
  bool is_shared_;
};

}  // namespace jostle::cli
