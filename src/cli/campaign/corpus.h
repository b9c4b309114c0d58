// SPDX-License-Identifier: Apache-2.0
// The corpus on disk: abstract schedules that showed something new, one readable file each, for the
// next campaign to go on from. docs/corpus.md describes the format.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/cli/support/error.h"
#include "src/cli/target/target.h"
#include "src/report/symbols/symbolizer.h"
#include "src/schedule/channel.h"
#include "src/schedule/hub.h"

namespace jostle::cli {

struct CorpusLoad {
  std::vector<std::string> files = {};  // those that were read, in the order of the hub
  uint32_t damaged = 0;                 // cut off, edited out of shape, not ours
  uint32_t other_build = 0;  // of another build of the program: its names mean nothing in this one
};

// Reads all files of the folder into the hub. What cannot be used is left out and counted.
CorpusLoad load_corpus(const std::string& folder, const Target& target, Hub& hub);
// "corpus: 12 schedules; left out 1 damaged file and 3 of another build"; empty when there is
// nothing to say.
std::string describe(const CorpusLoad& load);

// Writes what a campaign adds, again and again while it runs: each schedule once. Files that are
// there already stay.
class CorpusWriter {
 public:
  CorpusWriter(std::string folder, const Target& target)
      : folder_(std::move(folder)), target_(target) {}
  // `channel`: of a process of the campaign, for the names of places.
  MaybeError save(const Hub& hub, const channel::Channel& channel);

 private:
  std::string folder_;
  const Target& target_;
  std::string build_;  // empty: not known yet
  std::vector<bool> done_;
};

// Removes those files whose schedules have shown nothing new; how many.
size_t remove_useless(const CorpusLoad& load, const Hub& hub);

// The file's text, and the schedule in one; for tests, too.
std::string corpus_text(const CorpusEntry& entry, const std::string& build,
                        report::Symbolizer& symbols);
enum class CorpusFile { good, damaged, other_build };
CorpusFile parse_corpus(const std::string& text, const std::string& build,
                        AbstractSchedule& schedule);

// What tells builds apart: the linker's build id, or a hash of the file.
std::string build_of(const Target& target);

}  // namespace jostle::cli
