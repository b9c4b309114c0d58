// SPDX-License-Identifier: Apache-2.0
#include "src/report/explain/mentions.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>

#include "src/report/explain/sentence.h"
#include "src/report/words/text.h"
#include "src/schedule/descriptor_use.h"

namespace jostle::report {
namespace {

// "(bank.cc:22)", "(server.cc:30, descriptor 8)"
struct Bracket {
  size_t begin = 0, end = 0;
  std::string_view file;
  int line = 0;
};

std::optional<Bracket> next_bracket(std::string_view text, size_t from) {
  for (size_t open = text.find('(', from); open != text.npos; open = text.find('(', open + 1)) {
    const size_t close = text.find(')', open);
    if (close == text.npos) return std::nullopt;
    std::string_view inside = text.substr(open + 1, close - open - 1);
    inside = inside.substr(0, inside.find(", "));
    const size_t colon = inside.rfind(':');
    if (colon == inside.npos || colon == 0) continue;
    Bracket bracket{open, close + 1, inside.substr(0, colon), 0};
    const char* end = inside.data() + inside.size();
    const auto [rest, error] = std::from_chars(inside.data() + colon + 1, end, bracket.line);
    if (error == std::errc() && rest == end && bracket.line > 0) return bracket;
  }
  return std::nullopt;
}

// The text that belongs to a bracket begins behind the one before, without what joins the two.
size_t phrase_begin(std::string_view text, size_t from, size_t bracket) {
  for (const std::string_view boundary : {". ", "; "}) {
    const size_t at = text.substr(0, bracket).rfind(boundary);
    if (at != text.npos && at + boundary.size() > from) from = at + boundary.size();
  }
  constexpr std::array<std::string_view, 16> kJoints = {
      " ",     ",",     ";",      ".",       "and ",           "then ",    "but ",      "after ",
      "when ", "runs ", "which ", "before ", "It fails when ", "between ", "although ", "What "};
  for (bool skipped = true; skipped;) {
    skipped = false;
    for (const std::string_view joint : kJoints) {
      if (!text.substr(0, bracket).substr(from).starts_with(joint)) continue;
      from += joint.size();
      skipped = true;
    }
  }
  // "T1 wrote x (a.cc:1) between T2's read (a.cc:2) and …"
  const size_t between = text.substr(0, bracket).rfind(" between ");
  constexpr size_t kBetween = 9;
  return between != text.npos && between + kBetween > from ? between + kBetween : from;
}

// `stores` is said of writes and of updates, and who writes may write memory or output.
enum class Verb : uint8_t {
  unknown,
  reads,
  writes,
  updates,
  stores,
  acquires,
  releases,
  signals,
  waits,
  frees,
  inputs,
  outputs,
  closes,
  changes,
  looks
};

bool is_said_of(Verb said, Verb done) {
  return said == done ||
         (said == Verb::stores && (done == Verb::writes || done == Verb::updates)) ||
         (said == Verb::reads && done == Verb::inputs) ||
         (said == Verb::writes && done == Verb::outputs);
}

Verb verb_of(const EventModel& event) {
  switch (event.kind) {
    case OpKind::read:
    case OpKind::atomic_load:
      return Verb::reads;
    case OpKind::write:
    case OpKind::atomic_store:
      return Verb::writes;
    case OpKind::atomic_rmw:
      return Verb::updates;
    case OpKind::mutex_lock:
    case OpKind::mutex_trylock:
    case OpKind::rwlock_read:
    case OpKind::rwlock_write:
    case OpKind::spin_lock:
    case OpKind::sem_wait:
      return Verb::acquires;
    case OpKind::mutex_unlock:
    case OpKind::rwlock_unlock:
    case OpKind::spin_unlock:
      return Verb::releases;
    case OpKind::cond_signal:
    case OpKind::cond_broadcast:
    case OpKind::sem_post:
    case OpKind::futex_wake:
      return Verb::signals;
    case OpKind::free:
      return Verb::frees;
    case OpKind::cond_wait:
    case OpKind::barrier_wait:
    case OpKind::futex_wait:
    case OpKind::thread_join:
      return Verb::waits;
    case OpKind::io_read:
      return Verb::inputs;
    case OpKind::io_write:
      return event.size == kClosesDescriptor    ? Verb::closes
             : event.size == kChangesDescriptor ? Verb::changes
                                                : Verb::outputs;
    case OpKind::io_wait:
    case OpKind::state_read:
      return Verb::looks;
    case OpKind::state_write:
      return Verb::changes;
    default:
      return Verb::unknown;
  }
}

Verb verb_of(std::string_view word) {
  constexpr std::pair<std::string_view, Verb> kWords[] = {
      {"read", Verb::reads},        {"wrote", Verb::writes},    {"write", Verb::writes},
      {"stored", Verb::stores},     {"updated", Verb::updates}, {"update", Verb::updates},
      {"took", Verb::acquires},     {"tried", Verb::acquires},  {"locked", Verb::acquires},
      {"locks", Verb::acquires},    {"lock", Verb::acquires},   {"wants", Verb::acquires},
      {"unlocked", Verb::releases}, {"unlock", Verb::releases}, {"signalled", Verb::signals},
      {"posted", Verb::signals},    {"waits", Verb::waits},     {"wait", Verb::waits},
      {"waited", Verb::waits},      {"freed", Verb::frees},     {"closed", Verb::closes},
      {"close", Verb::closes},      {"changed", Verb::changes}, {"change", Verb::changes},
      {"looked", Verb::looks}};
  for (const auto& [known, verb] : kWords) {
    if (word == known) return verb;
  }
  return Verb::unknown;
}

// The verb of a phrase without its subject: the first word that is one.
Verb verb_in(std::string_view phrase) {
  if (phrase.find("wrote output") != phrase.npos) return Verb::outputs;
  if (phrase.find("read input") != phrase.npos) return Verb::inputs;
  while (!phrase.empty()) {
    const size_t end = std::min(phrase.find(' '), phrase.size());
    const Verb verb = verb_of(phrase.substr(0, end));
    if (verb != Verb::unknown) return verb;
    phrase.remove_prefix(std::min(end + 1, phrase.size()));
  }
  return Verb::unknown;
}

// Is it said of the operation: "= 50"?
bool tells_value(std::string_view phrase, std::string_view value) {
  const size_t equals = phrase.rfind(" = ");
  if (equals == phrase.npos || value.empty()) return false;
  const std::string_view said = phrase.substr(equals + 3);
  return said.starts_with(value) && (said.size() == value.size() || said[value.size()] == ' ');
}

class Finder {
 public:
  explicit Finder(const TraceModel& model) : model_(model) {}

  Mention find(std::string_view text, size_t from, const Bracket& bracket) {
    Mention mention{phrase_begin(text, from, bracket.begin), bracket.end};
    std::string_view phrase = text.substr(mention.begin, bracket.begin - mention.begin);
    const uint32_t thread = subject(phrase);
    find_place(bracket, mention);
    std::vector<uint32_t> fitting = candidates(bracket, thread, verb_in(phrase));
    // Who is not named again is who was named before.
    prefer(fitting, [&](const EventModel& event) { return event.thread == thread_before_; });
    prefer(fitting, [&](const EventModel& event) { return tells_value(phrase, event.value); });
    if (fitting.size() == 1) mention.event = fitting[0];
    if (thread != kNoIndex) thread_before_ = thread;
    return mention;
  }

 private:
  // The thread that a phrase begins with, which is taken away from it.
  uint32_t subject(std::string_view& phrase) const {
    uint32_t found = kNoIndex;
    size_t length = 0;
    for (uint32_t i = 0; i < model_.threads.size(); ++i) {
      const std::string& title = model_.threads[i].title;
      if (title.size() <= length || !phrase.starts_with(title)) continue;
      if (phrase.size() > title.size() && phrase[title.size()] != ' ' &&
          phrase[title.size()] != '\'') {
        continue;
      }
      found = i;
      length = title.size();
    }
    phrase.remove_prefix(length);
    return found;
  }

  bool is_at(const Place& place, const Bracket& bracket) const {
    return place.line == bracket.line && escape(base_name(place.file)) == bracket.file;
  }

  void find_place(const Bracket& bracket, Mention& mention) const {
    const auto take = [&](const std::string& file) {
      mention.file = file;
      mention.line = bracket.line;
    };
    const auto look = [&](const Place& place) {
      if (is_at(place, bracket)) take(place.file);
    };
    std::ranges::for_each(model_.places, look);
    for (const ThreadModel& thread : model_.threads) {
      look(thread.at);
      for (const HeldLockModel& lock : thread.holds) look(lock.place);
    }
    std::ranges::for_each(model_.failing_stack, look);
    if (model_.block) std::ranges::for_each(model_.block->freed_at, look);
    if (model_.block) std::ranges::for_each(model_.block->allocated_at, look);
    for (const Callback& callback : model_.callbacks) {
      if (callback.line == bracket.line && escape(base_name(callback.file)) == bracket.file) {
        take(callback.file);
      }
    }
    if (mention.line != 0) return;
    // A line that this run did not come to, in a file that is known.
    for (const Place& place : model_.places) {
      if (escape(base_name(place.file)) == bracket.file) return take(place.file);
    }
  }

  std::vector<uint32_t> candidates(const Bracket& bracket, uint32_t thread, Verb verb) const {
    std::vector<uint32_t> fitting;
    for (uint32_t i = 0; i < model_.events.size(); ++i) {
      const EventModel& event = model_.events[i];
      const bool may_be_meant = model_.explained.empty() || !event.executed ||
                                std::ranges::binary_search(model_.explained, i);
      if (!may_be_meant || event.place == kNoIndex) continue;
      if (!is_at(model_.places[event.place], bracket)) continue;
      if (thread != kNoIndex && event.thread != thread) continue;
      if (verb == Verb::unknown || !is_said_of(verb, verb_of(event))) continue;
      fitting.push_back(i);
    }
    return fitting;
  }

  // Keeps only those for which it holds, if there are any.
  template <typename Condition>
  void prefer(std::vector<uint32_t>& events, Condition condition) const {
    const auto fits = [&](uint32_t i) { return condition(model_.events[i]); };
    if (std::ranges::any_of(events, fits)) {
      std::erase_if(events, [&](uint32_t i) { return !fits(i); });
    }
  }

  const TraceModel& model_;
  uint32_t thread_before_ = kNoIndex;
};

}  // namespace

std::vector<Mention> mentions(const TraceModel& model) {
  std::vector<Mention> found;
  Finder finder(model);
  const std::string_view text = model.explanation;
  size_t from = 0;
  while (const auto bracket = next_bracket(text, from)) {
    found.push_back(finder.find(text, from, *bracket));
    from = bracket->end;
  }
  std::erase_if(found, [](const Mention& mention) { return mention.line == 0; });
  return found;
}

}  // namespace jostle::report
