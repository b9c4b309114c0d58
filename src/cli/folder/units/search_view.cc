// SPDX-License-Identifier: Apache-2.0
#include "src/cli/folder/units/search_view.h"

#include <sys/stat.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "src/base/hash.h"

namespace jostle::cli {
namespace {

using Json = nlohmann::ordered_json;

void add_each(const Json& json, const char* key, std::vector<std::string>& to) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_array()) return;
  for (const Json& each : *found) {
    if (!each.is_string()) continue;
    const auto text = each.get<std::string>();
    if (std::ranges::find(to, text) == to.end()) to.push_back(text);
  }
}

const uint8_t* bytes_of(const std::string& text) {
  return reinterpret_cast<const uint8_t*>(text.data());
}

}  // namespace

std::string notes_text(const SearchNotes& notes) {
  const Json json = {
      {"missing", notes.missing}, {"assumptions", notes.assumptions}, {"not_seen", notes.not_seen}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void add_notes(const std::string& text, SearchNotes& to) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return;
  add_each(json, "missing", to.missing);
  add_each(json, "assumptions", to.assumptions);
  add_each(json, "not_seen", to.not_seen);
}

bool SearchView::is_there(const std::string& build) {
  struct stat info;
  return ::stat(search_folder(build).c_str(), &info) == 0;
}

void SearchView::refresh() {
  damaged_.clear();
  find_knowledge();
  while (!is_finished() && read_round()) {
  }
  read_doubts();
}

void SearchView::read_doubts() {
  for (const std::string& text : read_notes(doubts(), damaged_)) add_notes(text, notes_);
}

channel::Exploration SearchView::progress() {
  channel::Exploration all = search_->progress();
  for (const auto& [unit, answer] : answers_) {
    all.explored += answer.counts.explored;
    all.blocked += answer.counts.blocked;
    all.deadlocks += answer.counts.deadlocks;
    all.redundant += answer.counts.redundant;
    all.assumptions |= static_cast<uint32_t>(answer.counts.noted);
  }
  all.estimate = std::max(all.estimate, all.explored);
  return all;
}

// From knowing nothing on: a worker that has learned something there has made another search the
// one that counts.
void SearchView::find_knowledge() {
  std::vector<std::string> knowledge;
  uint64_t hash = 0;
  std::set<uint64_t> seen;
  while (seen.insert(hash).second) {
    std::vector<std::string> learned = read_learned(learned_folder(build_, hash), damaged_);
    if (learned.empty()) break;
    knowledge = std::move(learned);
    hash = hash_of(knowledge);
  }
  if (hash == knowledge_hash_) return;
  knowledge_hash_ = hash;
  knowledge_ = std::move(knowledge);
  search_->restart();
  workers_.clear();
  units_closed_ = 0;
  notes_ = {};
  forget_round();
}

void SearchView::forget_round() {
  answers_.clear();
  read_.clear();
  units_.clear();
}

uint64_t SearchView::identity(uint32_t unit) const {
  return combine(knowledge_hash_, search_->identity(unit)) | 1;
}

std::string SearchView::unit_bytes(uint32_t unit) {
  writer_->clear();
  search_->write_unit(unit, *writer_);
  return {reinterpret_cast<const char*>(writer_->bytes().begin()), writer_->bytes().size()};
}

// True: all of its units are closed, and the next one has begun.
bool SearchView::read_round() {
  const std::string folder = this->folder();
  units_.assign(search_->unit_count(), {});
  for (const UnitFile& file : list_round(folder)) {
    if (file.unit >= units_.size()) continue;
    const std::string path = folder + "/" + file_name(file);
    switch (file.kind) {
      case UnitFile::Kind::lease:
        units_[file.unit].leases.insert(file.worker);
        break;
      case UnitFile::Kind::part:
        units_[file.unit].parts.push_back(path);
        break;
      case UnitFile::Kind::done:
        read_answer(file.unit, path, file.worker);
        break;
    }
  }
  for (const auto& [unit, answer] : answers_) units_[unit].is_closed = true;
  if (answers_.size() < units_.size()) return false;
  std::vector<dpor::DividedSearch::Bytes> bytes;
  for (const auto& [unit, answer] : answers_) {
    bytes.push_back({bytes_of(answer.record.answer), answer.record.answer.size()});
    workers_.insert(answer.worker);
    add_notes(answer.record.notes, notes_);
  }
  units_closed_ += units_.size();
  search_->end_round(bytes.data());
  forget_round();
  return true;
}

void SearchView::read_answer(uint32_t unit, const std::string& path, const std::string& worker) {
  if (read_.contains(path)) return;
  auto record = read_unit(path);
  dpor::UnitCounts counts;
  // One that is not as it should be may be on its way: it is looked at again.
  if (!record || record->identity != identity(unit) ||
      !search_->is_answer({bytes_of(record->answer), record->answer.size()}, &counts)) {
    damaged_.push_back(path);
    return;
  }
  read_.insert(path);
  const auto [at, is_first] = answers_.try_emplace(unit, Answer{worker, {}, counts});
  if (is_first) {
    at->second.record = std::move(*record);
    return;
  }
  // Two did the same, and it is not the same.
  const dpor::UnitCounts& other = at->second.counts;
  if (counts.explored != other.explored || counts.runs != other.runs ||
      counts.blocked != other.blocked || counts.deadlocks != other.deadlocks) {
    notes_.missing.push_back(
        "two workers did not get the same out of the same unit: see `jostle doctor`");
  }
}

}  // namespace jostle::cli
