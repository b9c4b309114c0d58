// SPDX-License-Identifier: Apache-2.0
// A search that is divided into units, as its files say it is: which units are open, which are
// closed, and how many executions these have. `refresh` reads what is new; nothing is written.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "src/cli/folder/units/unit_files.h"
#include "src/schedule/exploration.h"
#include "src/strategy/dpor/work/divided_search.h"

namespace jostle::cli {

// What workers say of the runs of their units besides what is counted, each once.
struct SearchNotes {
  std::vector<std::string> missing = {};      // why executions are missing
  std::vector<std::string> assumptions = {};  // what the verdict holds for
  std::vector<std::string> not_seen = {};     // modules
};
std::string notes_text(const SearchNotes& notes);
void add_notes(const std::string& text, SearchNotes& to);

class SearchView {
 public:
  explicit SearchView(std::string build) : build_(std::move(build)) {}

  // Is there one?
  static bool is_there(const std::string& build);

  void refresh();

  bool is_finished() const { return search_->is_finished(); }
  // With the closed units of the present round.
  channel::Exploration progress();
  const SearchNotes& notes() const { return notes_; }
  std::string doubts() const { return doubts_folder(build_, knowledge_hash_); }
  uint64_t units_closed() const { return units_closed_; }  // of all rounds
  uint32_t round() const { return search_->round(); }
  // Workers whose answers count.
  const std::set<std::string>& workers() const { return workers_; }
  // Files that are there but cannot be read.
  const std::vector<std::string>& damaged() const { return damaged_; }

  // Of the present round.
  struct Unit {
    bool is_closed = false;
    std::set<std::string> leases = {};    // workers that have one
    std::vector<std::string> parts = {};  // files
  };
  const std::vector<Unit>& units() const { return units_; }
  std::string folder() const { return round_folder(build_, knowledge_hash_, round()); }
  // Names the unit and all that was before it.
  uint64_t identity(uint32_t unit) const;
  // What a worker has to know before it explores a unit.
  const std::vector<std::string>& knowledge() const { return knowledge_; }
  uint64_t knowledge_hash() const { return knowledge_hash_; }
  std::string unit_bytes(uint32_t unit);

 private:
  void find_knowledge();
  bool read_round();
  void read_answer(uint32_t unit, const std::string& path, const std::string& worker);
  void read_doubts();
  void forget_round();

  std::string build_;
  std::vector<std::string> knowledge_;
  uint64_t knowledge_hash_ = 0;
  // Memory of searches is never given back: one is enough.
  dpor::DividedSearch* search_ = new dpor::DividedSearch;
  dpor::ByteWriter* writer_ = new dpor::ByteWriter;
  std::vector<Unit> units_;
  struct Answer {
    std::string worker;
    UnitRecord record;
    dpor::UnitCounts counts;
  };
  std::map<uint32_t, Answer> answers_;
  std::set<std::string> read_;  // files of the round
  std::vector<std::string> damaged_;
  std::set<std::string> workers_;
  uint64_t units_closed_ = 0;
  SearchNotes notes_;
};

}  // namespace jostle::cli
