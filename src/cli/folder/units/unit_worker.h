// SPDX-License-Identifier: Apache-2.0
// One worker of a search that is divided into units: takes a unit that nobody explores, has it
// explored by the target (schedule/search/unit_exchange.h), and writes the answer.
//
// Whose lease holds: of the workers that have one for a unit and are alive, the first by name has
// it. Who is not sees so, and takes another. Alive is whose heartbeat is younger than the lease
// time and does not say that it has ended. Two that explore the same unit all the same (the
// folder's copies are late, or a worker that was thought to be dead was not) cost time, nothing
// else.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "src/cli/folder/units/search_summary.h"
#include "src/cli/folder/units/search_view.h"
#include "src/schedule/hub.h"

namespace jostle::cli {

inline constexpr std::chrono::seconds kDefaultLease{60};

class UnitWorker {
 public:
  using Clock = std::chrono::steady_clock;

  // `folder`: of the campaign, `build`: of the build in it; `worker`: our name.
  UnitWorker(std::string folder, std::string build, std::string worker, std::chrono::seconds lease);

  // Before the target starts. The hub outlives us.
  void begin(Hub& hub);
  // Whatever is due. `notes`: what there is to say of the runs so far.
  using Notes = std::function<SearchNotes()>;
  MaybeError tick(const Notes& notes);
  // The target has ended: what it has left is written, and what is to be said of all its runs.
  MaybeError end(const Notes& notes);
  bool has_answered() const { return has_answered_; }

  SearchView& view() { return view_; }

  SearchSummary summary();

 private:
  MaybeError take_answer(const Notes& notes);
  MaybeError find_work();
  std::optional<uint32_t> choose();
  bool is_free(const SearchView::Unit& unit);
  void ask(uint32_t unit);
  std::string longest_part(uint32_t unit);
  bool is_alive(const std::string& worker);

  std::string folder_, build_, worker_;
  std::chrono::seconds lease_;
  SearchView view_;
  Hub* hub_ = nullptr;
  struct Order {
    uint64_t number = 0;
    uint32_t unit = 0;
    uint64_t identity = 0;
    uint64_t knowledge = 0;
    std::string folder;
  };
  std::optional<Order> order_;  // that was not answered
  uint64_t orders_ = 0;
  bool has_answered_ = false;
  dpor::ByteWriter* writer_ = new dpor::ByteWriter;
  Clock::time_point next_look_;
  Clock::duration rest_{};
  std::map<std::string, bool> alive_;
  Clock::time_point alive_until_;
};

// Is this worker of the build alive?
bool is_alive(const std::string& folder, const std::string& build, const std::string& worker,
              std::chrono::seconds lease);

}  // namespace jostle::cli
