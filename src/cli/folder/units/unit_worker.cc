// SPDX-License-Identifier: Apache-2.0
#include "src/cli/folder/units/unit_worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "src/base/hash.h"
#include "src/cli/folder/process_mark.h"
#include "src/cli/folder/worker_folder.h"
#include "src/strategy/dpor/work/unit_bytes.h"

namespace jostle::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// While a unit is explored: is it still wanted?
constexpr seconds kLookWhileBusy{1};
// Who waits for others looks often at first.
constexpr milliseconds kFirstRest{2};
constexpr milliseconds kLongestRest{500};
// Heartbeats are looked at so often.
constexpr milliseconds kAliveEvery{500};

void write_block(dpor::ByteWriter& to, const std::string& bytes) {
  to.block(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
}

}  // namespace

bool is_alive(const std::string& folder, const std::string& build, const std::string& worker,
              seconds lease) {
  const std::string own = build + "/" + worker;
  const auto seen = read_heartbeat(own, file_server_now(folder));
  if (!seen || seen->heartbeat.ended || seen->age > lease) return false;
  const auto info = read_info(own);
  return !info || !has_ended_here(info->mark);
}

UnitWorker::UnitWorker(std::string folder, std::string build, std::string worker, seconds lease)
    : folder_(std::move(folder)),
      build_(std::move(build)),
      worker_(std::move(worker)),
      lease_(lease),
      view_(build_) {}

void UnitWorker::begin(Hub& hub) {
  hub_ = &hub;
  hub.unit_exchange.is_used = 1;
  view_.refresh();
}

MaybeError UnitWorker::tick(const Notes& notes) {
  if (order_ && hub_->unit_exchange.answered == order_->number) {
    if (MaybeError error = take_answer(notes)) return error;
  }
  if (Clock::now() < next_look_) return std::nullopt;
  view_.refresh();
  const Clock::time_point now = Clock::now();
  if (order_) {
    next_look_ = now + kLookWhileBusy;
    const bool is_wanted = view_.folder() == order_->folder && !view_.is_finished() &&
                           order_->unit < view_.units().size() &&
                           !view_.units()[order_->unit].is_closed;
    if (is_wanted) return std::nullopt;
    order_.reset();
  }
  if (view_.is_finished()) {
    hub_->unit_exchange.is_over = 1;
    next_look_ = now + kLookWhileBusy;
    return std::nullopt;
  }
  return find_work();
}

MaybeError UnitWorker::find_work() {
  const std::optional<uint32_t> unit = choose();
  if (!unit) {
    rest_ = std::clamp<Clock::duration>(rest_ * 3 / 2, kFirstRest, kLongestRest);
    next_look_ = Clock::now() + rest_;
    return std::nullopt;
  }
  rest_ = {};
  next_look_ = Clock::now() + kLookWhileBusy;
  if (!view_.units()[*unit].leases.contains(worker_)) {
    if (MaybeError error =
            write_lease(view_.folder(), file_name({*unit, worker_, UnitFile::Kind::lease}))) {
      return error;
    }
    // Somebody may have been faster.
    const std::string folder = view_.folder();
    view_.refresh();
    if (view_.is_finished() || view_.folder() != folder || view_.units()[*unit].is_closed ||
        !is_free(view_.units()[*unit])) {
      next_look_ = Clock::now();
      return std::nullopt;
    }
  }
  ask(*unit);
  return std::nullopt;
}

// Others begin elsewhere.
std::optional<uint32_t> UnitWorker::choose() {
  const auto count = static_cast<uint32_t>(view_.units().size());
  const uint64_t first = fnv1a(worker_.data(), worker_.size());
  std::optional<uint32_t> of_dead;
  for (uint32_t i = 0; i < count; ++i) {
    const auto unit = static_cast<uint32_t>((first + i) % count);
    const SearchView::Unit& state = view_.units()[unit];
    if (state.is_closed) continue;
    if (state.leases.empty()) return unit;
    if (!of_dead && is_free(state)) of_dead = unit;
  }
  return of_dead;
}

// Does nobody else have it? Of those who asked for it, the first has it.
bool UnitWorker::is_free(const SearchView::Unit& unit) {
  const bool is_ours = unit.leases.contains(worker_);
  return std::ranges::none_of(unit.leases, [&](const std::string& other) {
    return other != worker_ && (!is_ours || other < worker_) && is_alive(other);
  });
}

bool UnitWorker::is_alive(const std::string& worker) {
  if (Clock::now() >= alive_until_) {
    alive_.clear();
    alive_until_ = Clock::now() + kAliveEvery;
  }
  const auto [at, is_new] = alive_.try_emplace(worker, false);
  if (is_new) at->second = cli::is_alive(folder_, build_, worker, lease_);
  return at->second;
}

std::string UnitWorker::longest_part(uint32_t unit) {
  std::string longest;
  uint64_t most = 0;
  for (const std::string& path : view_.units()[unit].parts) {
    auto record = read_unit(path);
    if (!record || record->identity != view_.identity(unit)) continue;
    dpor::ByteReader from(reinterpret_cast<const uint8_t*>(record->answer.data()),
                          record->answer.size());
    if (from.number(1) == 0) continue;
    const dpor::UnitCounts counts = dpor::read_counts(from);
    if (!from.is_good() || counts.runs <= most) continue;
    most = counts.runs;
    longest = std::move(record->answer);
  }
  return longest;
}

void UnitWorker::ask(uint32_t unit) {
  writer_->clear();
  writer_->number(view_.knowledge().size());
  for (const std::string& each : view_.knowledge()) write_block(*writer_, each);
  write_block(*writer_, view_.unit_bytes(unit));
  write_block(*writer_, longest_part(unit));
  UnitExchange& exchange = hub_->unit_exchange;
  const size_t size = std::min<size_t>(writer_->bytes().size(), SavedSearch::kMost);
  std::memcpy(exchange.order.bytes, writer_->bytes().begin(), size);
  exchange.order.size = size;
  order_ = {++orders_, unit, view_.identity(unit), view_.knowledge_hash(), view_.folder()};
  exchange.asked = orders_;
}

MaybeError UnitWorker::take_answer(const Notes& notes) {
  const Order order = *order_;
  order_.reset();
  next_look_ = Clock::now();
  const UnitExchange& exchange = hub_->unit_exchange;
  const size_t size = std::min<uint64_t>(exchange.answer.size, SavedSearch::kMost);
  UnitRecord record{order.identity,
                    {reinterpret_cast<const char*>(exchange.answer.bytes), size},
                    notes_text(notes())};
  switch (exchange.kind.load()) {
    case UnitAnswer::done:
      has_answered_ = true;
      return write_unit(order.folder, file_name({order.unit, worker_, UnitFile::Kind::done}),
                        record);
    case UnitAnswer::part:
      return write_unit(order.folder, file_name({order.unit, worker_, UnitFile::Kind::part}),
                        record);
    case UnitAnswer::learned: {
      const uint64_t hash = fnv1a(record.answer.data(), record.answer.size());
      return write_unit(learned_folder(build_, order.knowledge),
                        fmt::format("{:016x}.{}", hash, worker_), record);
    }
    case UnitAnswer::not_read:
    case UnitAnswer::no_room:
      break;
  }
  return Error{Exit::internal,
               "a unit of the search is too large to be handed over: without "
               "--campaign it may work"};
}

MaybeError UnitWorker::end(const Notes& notes) {
  MaybeError error;
  if (order_ && hub_->unit_exchange.answered == order_->number) error = take_answer(notes);
  view_.refresh();
  const SearchNotes all = notes();
  const auto is_known = [&](const std::string& why) {
    return std::ranges::find(view_.notes().missing, why) != view_.notes().missing.end();
  };
  if (has_answered_ && !error && !std::ranges::all_of(all.missing, is_known)) {
    const std::string text = notes_text(all);
    error = write_unit(view_.doubts(),
                       fmt::format("{:016x}.{}", fnv1a(text.data(), text.size()), worker_),
                       {1, {}, text});
    view_.refresh();
  }
  return error;
}

SearchSummary UnitWorker::summary() {
  return summary_of(view_,
                    [&](const std::string& other) { return other != worker_ && is_alive(other); });
}

}  // namespace jostle::cli
