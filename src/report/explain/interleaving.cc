// SPDX-License-Identifier: Apache-2.0
#include "src/report/explain/interleaving.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>

#include "src/report/explain/sentence.h"
#include "src/report/model/failure_kinds.h"
#include "src/report/model/freed_block.h"
#include "src/report/model/library_wait.h"
#include "src/report/text/spurious_text.h"
#include "src/report/words/record_view.h"
#include "src/report/words/text.h"

namespace jostle::report {
namespace {

// Descriptors have numbers of ours, which tell nobody anything.
std::string awaited_object(const Operation& op, Names& names) {
  constexpr uint64_t kDescriptors = op_bits({OpKind::io_read, OpKind::io_write, OpKind::io_wait});
  if (kDescriptors >> static_cast<int>(op.kind) & 1) return "a descriptor";
  return op.object == 0 ? "" : names.object(op.object);
}

using channel::Outcome;
using Kind = InterleavingRow::Kind;

// How much a line tells. Only the order of these numbers matters.
constexpr int kDecisive = 1000;     // the explanation names it
constexpr int kSameObject = 500;    // touches what the explanation is about
constexpr int kAtPreemption = 300;  // the last before a preemption, the first when it goes on
constexpr int kContended = 100;     // touches what several threads use and one changes
constexpr int kSignal = 90;
constexpr int kCreates = 60;
constexpr int kLocks = 40;
constexpr int kNothing = 0;

constexpr size_t kMostRows = 2000;

// Steps in a row of one thread on one line of the program, or the free of a block behind them.
struct Line {
  uint32_t thread;
  uint32_t segment;
  Frame frame;
  std::vector<uint32_t> steps = {};
  int score = kNothing;
  bool decisive = false;
  bool frees = false;  // the block that the failure is about
};

int score_of_kind(OpKind kind) {
  switch (kind) {
    case OpKind::thread_create:
      return kCreates;
    case OpKind::cond_wait:
    case OpKind::cond_signal:
    case OpKind::cond_broadcast:
    case OpKind::barrier_wait:
    case OpKind::sem_wait:
    case OpKind::sem_post:
    case OpKind::futex_wait:
    case OpKind::futex_wake:
    case OpKind::thread_cancel:
    case OpKind::thread_signal:
      return kSignal;
    case OpKind::mutex_lock:
    case OpKind::mutex_trylock:
    case OpKind::mutex_unlock:
    case OpKind::rwlock_read:
    case OpKind::rwlock_write:
    case OpKind::rwlock_unlock:
    case OpKind::spin_lock:
    case OpKind::spin_unlock:
    case OpKind::thread_join:
    case OpKind::io_read:
    case OpKind::io_write:
    case OpKind::io_wait:
    case OpKind::state_read:
    case OpKind::state_write:
      return kLocks;
    default:
      return kNothing;
  }
}

class Maker {
 public:
  Maker(const NamedRun& run, const Explanation& why, SourceLines& sources)
      : run_(run), why_(why), sources_(sources) {}

  Interleaving make(const InterleavingLimits& limits) {
    find_lines();
    score_lines();
    const int threshold =
        std::max(threshold_for(limits.most), limits.essential ? least_telling() : 1);
    Interleaving result;
    const auto list = segments(record().schedule);
    result.preemptions = static_cast<uint64_t>(std::ranges::count_if(list, channel::is_preemption));
    size_t at = 0;
    for (uint32_t i = 0; i < list.size(); ++i) {
      const size_t first = at;
      while (at < lines_.size() && lines_[at].segment == i) ++at;
      add_segment(i, first, at, threshold, result);
    }
    add_failure(result);
    list_threads(result);
    return result;
  }

 private:
  const channel::RunRecord& record() const { return run_.trace.record(); }
  const Step& step(uint32_t i) const { return run_.trace.steps()[i]; }

  void find_lines() {
    const auto steps = run_.trace.steps();
    const uint32_t freed_behind = last_before_free();
    for (uint32_t i = 0; i < steps.size(); ++i) {
      if (i != 0 && i - 1 == freed_behind) add_free(freed_behind);
      const channel::TraceEvent& event = *steps[i].event;
      if (event.kind == OpKind::thread_begin || event.kind == OpKind::thread_exit) continue;
      Frame frame = run_.symbols.line_that_matters(event.pc);
      const bool goes_on =
          !lines_.empty() && lines_.back().thread == event.thread &&
          lines_.back().segment == steps[i].segment && lines_.back().frame.line == frame.line &&
          lines_.back().frame.file == frame.file && frame.line != 0 && !lines_.back().frees;
      if (!goes_on) lines_.push_back({event.thread, steps[i].segment, std::move(frame)});
      lines_.back().steps.push_back(i);
    }
    if (freed_behind + size_t{1} == steps.size()) add_free(freed_behind);
  }

  // The last step before the block was freed that the failure is about.
  uint32_t last_before_free() const {
    const channel::ObjectRecord* block = freed_block(record());
    if (block == nullptr) return kNoStep;
    uint32_t found = kNoStep;
    for (const uint32_t i : run_.trace.of_thread(block->freed_by)) {
      if (is_before_free(*step(i).event, block)) found = i;
    }
    return found;
  }

  // On the line of the steps before, if it is the same.
  void add_free(uint32_t behind) {
    const channel::ObjectRecord& block = *freed_block(record());
    Frame frame = run_.symbols.line_that_matters(block.freed_at);
    const bool goes_on = !lines_.empty() && lines_.back().thread == block.freed_by &&
                         lines_.back().frame.line == frame.line &&
                         lines_.back().frame.file == frame.file && frame.line != 0;
    if (!goes_on) lines_.push_back({block.freed_by, step(behind).segment, std::move(frame)});
    lines_.back().frees = true;
  }

  void score_lines() {
    const std::set<uint32_t> decisive(why_.steps.begin(), why_.steps.end());
    for (const uint32_t i : why_.steps) objects_.insert(step(i).event->object);
    for (Line& line : lines_) {
      for (const uint32_t i : line.steps) {
        const channel::TraceEvent& event = *step(i).event;
        int score = score_of_kind(event.kind);
        if (step(i).contended && is_memory(event.kind)) score = kContended;
        if (event.object != 0 && objects_.contains(event.object)) score = kSameObject;
        if (decisive.contains(i)) {
          score = kDecisive;
          line.decisive = true;
        }
        line.score = std::max(line.score, score);
      }
      if (line.frees) {
        line.score = kDecisive;
        line.decisive = true;
      }
      const bool creates = std::ranges::any_of(
          line.steps, [&](uint32_t i) { return step(i).event->kind == OpKind::thread_create; });
      if (creates && !line.decisive) line.score = kCreates;
      // What a library does by itself is of no interest; what has no line says little.
      if (line.frame.plumbing && !line.decisive) line.score = kNothing;
      if (line.frame.line == 0 && line.score < kDecisive) line.score /= 4;
    }
    mark_preemptions();
  }

  void mark_preemptions() {
    const auto list = segments(record().schedule);
    std::set<uint32_t> goes_on;  // threads that were preempted
    for (size_t i = 0; i < lines_.size(); ++i) {
      const uint32_t segment = lines_[i].segment;
      const bool is_first = i == 0 || lines_[i - 1].segment != segment;
      const bool is_last = i + 1 == lines_.size() || lines_[i + 1].segment != segment;
      if (is_first && goes_on.erase(lines_[i].thread) != 0) raise(lines_[i]);
      if (is_last && segment < list.size() && is_preemption(list[segment])) {
        if (!lines_[i].frame.plumbing) raise(lines_[i]);
        goes_on.insert(lines_[i].thread);
      }
    }
    if (lines_.empty()) return;
    // How it ended: in the program's own code, if there is any. An exit status may be somebody's
    // who came long after that.
    const auto is_own = [](const Line& line) {
      return !line.frame.plumbing && line.frame.line != 0;
    };
    const auto last = std::find_if(lines_.rbegin(), lines_.rend(), is_own);
    const bool is_exit = record().end.outcome == Outcome::exited;
    if (last == lines_.rend()) {
      raise(lines_.back());
    } else if (!is_exit || last == lines_.rbegin()) {
      raise(*last);
    }
  }
  static void raise(Line& line) { line.score = std::max(line.score, kAtPreemption); }

  // The least score that a shown line has.
  int threshold_for(size_t most) const {
    std::vector<int> scores;
    for (const Line& line : lines_) {
      if (line.score > kNothing) scores.push_back(line.score);
    }
    if (scores.size() <= most) return 1;
    std::ranges::sort(scores, std::greater<>());
    // All of a kind or none: a line that is missing among its like misleads.
    for (const int least : {kLocks, kCreates, kSignal, kContended, kAtPreemption, kSameObject}) {
      const auto count = static_cast<size_t>(
          std::ranges::count_if(scores, [&](int score) { return score >= least; }));
      if (count <= most) return least;
    }
    return kDecisive;
  }

  // Where there is something to say about memory or signals, that is it.
  int least_telling() const {
    const bool has_more = std::ranges::any_of(lines_, [](const Line& line) {
      return line.score >= kSignal && line.score != kAtPreemption;
    });
    return has_more ? kSignal : 1;
  }

  void add_segment(uint32_t number, size_t first, size_t last, int threshold, Interleaving& into) {
    const channel::Segment& segment = segments(record().schedule)[number];
    InterleavingRow left_out{Kind::left_out, segment.thread};
    bool shown = false;
    const auto flush = [&] {
      if (left_out.count == 0) return;
      into.rows.push_back(left_out);
      left_out.count = 0;
    };
    // Of many decisive lines that look the same the first and the last few are enough.
    size_t decisive = 0;
    constexpr size_t kMostInSegment = 60;
    for (size_t i = first; i < last; ++i) {
      const bool is_too_much = lines_[i].score < threshold || ++decisive > kMostInSegment;
      if (is_too_much && !lines_[i].frees) {
        if (left_out.count == 0) left_out.first = lines_[i].steps.front() + 1;
        left_out.count += lines_[i].steps.size();
        left_out.last = lines_[i].steps.back() + 1;
        continue;
      }
      flush();
      shown = true;
      into.rows.push_back(row_of(lines_[i]));
    }
    const bool is_end = number + 1 == segments(record().schedule).size();
    // Who ran while another was held back has to be seen, whatever it did.
    const bool is_between = number > 0 && is_preemption(segments(record().schedule)[number - 1]);
    if (shown || is_between || is_preemption(segment)) flush();
    if (is_end && record().end.outcome != Outcome::deadlock) return;
    if (is_preemption(segment)) {
      if (first < last && shown) say_what_is_left(lines_[last - 1], into.rows.back());
      into.rows.push_back({Kind::preempted, segment.thread});
    } else if ((shown || is_between) && segment.stopped_at != OpKind::thread_exit &&
               segment.stopped_at != OpKind::none && segment.stopped_at != OpKind::thread_join) {
      into.rows.push_back({Kind::waits, segment.thread});
      into.rows.back().text = waiting_text(segment);
    }
  }

  // A call whose arguments were read may not have been made when its thread was preempted: the line
  // must not look as if it had.
  void say_what_is_left(const Line& line, InterleavingRow& row) const {
    if (line.steps.empty() || row.kind != Kind::line || row.last != line.steps.back() + 1) return;
    const channel::TraceEvent* const next = announced_behind(*step(line.steps.back()).event);
    if (next == nullptr) return;
    const bool is_shown = is_memory(next->kind) && !row.note.empty();
    const Frame frame = run_.symbols.line_that_matters(next->pc);
    if (is_shown || frame.line == 0 || frame.line != line.frame.line ||
        frame.file != line.frame.file) {
      return;
    }
    const Step left{next, 0, 0, kInitially, false};
    const bool is_next = std::ranges::any_of(
        line.steps, [&](uint32_t i) { return step(i).event->kind == next->kind; });
    const std::string text =
        fmt::format("before its {}{}", is_next ? "next " : "", Sentence::verb(left));
    if (!row.brief.empty()) row.brief += ", " + text;
    row.note += (row.note.empty() ? "" : ", ") + text;
  }

  // What its thread came to next; null: nothing.
  const channel::TraceEvent* announced_behind(const channel::TraceEvent& done) const {
    const auto all = trace(record());
    for (const channel::TraceEvent* event = &done + 1; event < all.data() + all.size(); ++event) {
      if (event->thread == done.thread) return event;
    }
    return nullptr;
  }

  // Everybody who is stuck, and where.
  void add_stuck(Interleaving& into) {
    for (const channel::ThreadReport& thread : reports(record())) {
      if (thread.state != channel::ThreadState::blocked) continue;
      if (thread.pending.kind == OpKind::thread_join) continue;
      Frame frame = run_.symbols.line_that_matters(thread.stack);
      if (!into.rows.empty() && into.rows.back().kind == Kind::waits &&
          into.rows.back().thread == thread.thread) {
        into.rows.pop_back();  // the same, in fewer words
      }
      if (frame.line != 0) {
        InterleavingRow row{Kind::line, thread.thread};
        row.file = base_name(frame.file);
        row.line = frame.line;
        row.text = sources_.text(frame.file, frame.line);
        row.decisive = true;
        const bool is_shown = !into.rows.empty() && into.rows.back().kind == Kind::line &&
                              into.rows.back().thread == row.thread &&
                              into.rows.back().line == row.line;
        if (!is_shown) into.rows.push_back(std::move(row));
      }
      into.rows.push_back({Kind::failed, thread.thread});
      const LibraryWait library = library_wait(thread, run_.names);
      const std::string object =
          !library.object.empty() ? library.object : awaited_object(thread.pending, run_.names);
      into.rows.back().text =
          fmt::format("waits for ever{}{}", object.empty() ? "" : " for ", object);
      if (into.rows.size() > kMostRows) return;
    }
  }

  std::string waiting_text(const channel::Segment& segment) const {
    if (segment.forced == channel::kGaveWay) return "lets others go first";
    if (segment.forced == channel::kTimePassed) return "time passes";
    return fmt::format("waits: {}", op_name(segment.stopped_at));
  }

  InterleavingRow row_of(const Line& line) {
    InterleavingRow row{Kind::line, line.thread};
    row.decisive = line.decisive;
    row.count = line.steps.size();
    if (!line.steps.empty()) {
      row.first = line.steps.front() + 1;
      row.last = line.steps.back() + 1;
    }
    row.file = base_name(line.frame.file);
    row.line = line.frame.line;
    row.text = line.frame.line == 0 ? "" : sources_.text(line.frame.file, line.frame.line);
    if (row.text.empty() && line.steps.empty()) {
      row.text = line.frame.where;
    } else if (row.text.empty()) {
      const channel::TraceEvent& event = *step(line.steps.front()).event;
      row.text = fmt::format("{} {}", op_name(event.kind),
                             event.object == 0 || event.kind == OpKind::thread_join
                                 ? ""
                                 : run_.names.object(event.object));
    }
    // A closing brace: what happens there is hidden in the destructor of a guard.
    const bool says_nothing =
        std::ranges::none_of(row.text, [](unsigned char c) { return std::isalnum(c) != 0; });
    for (const uint32_t i : line.steps) {
      const OpKind kind = step(i).event->kind;
      if (!says_nothing || is_memory(kind)) continue;
      row.text += fmt::format(" {}", op_name(kind));
      const uintptr_t object = step(i).event->object;
      if (object != 0 && kind != OpKind::thread_join) {
        row.text += fmt::format(" {}", run_.names.object(object));
      }
      break;
    }
    std::string_view fails;
    for (const uint32_t i : line.steps) {
      const channel::TraceEvent& event = *step(i).event;
      if (event.spurious == 0) continue;
      const std::string_view what = spurious_text(event.kind);
      if (is_memory(event.kind)) {
        fails = what;
      } else {
        row.text += fmt::format("  // {}", what);
      }
    }
    add_note(line, row);
    const bool is_stale =
        std::ranges::any_of(line.steps, [&](uint32_t i) { return step(i).event->stale != 0; });
    const auto add = [&](std::string_view text) {
      if (!row.brief.empty()) row.brief += fmt::format(", {}", text);
      row.note += fmt::format("{}{}", row.note.empty() ? "" : ", ", text);
    };
    if (is_stale) add("stale");
    if (line.frees) add("frees the block");
    const bool tried_in_vain =
        std::ranges::any_of(line.steps, [&](uint32_t i) { return is_in_vain(*step(i).event); });
    if (tried_in_vain) add("in vain");
    if (!fails.empty()) add(fails);
    return row;
  }

  // "writes 1", "0 → 1", "reads" where the value says nothing.
  static std::string value_note(const std::optional<std::string>& read,
                                const std::optional<std::string>& written) {
    const bool both = read && written && !read->empty() && !written->empty();
    if (both) return fmt::format("{} → {}", *read, *written);
    const std::string& value = written ? *written : *read;
    return fmt::format("{}{}{}", written ? "writes" : "reads", value.empty() ? "" : " ", value);
  }

  // "item->stock--" says what "Item.stock of shop.cc:10" is.
  static bool has_member_of(std::string_view source, std::string_view name) {
    name = name.substr(0, name.find(" of "));
    name = name.substr(0, name.find('['));
    const size_t dot = name.rfind('.');
    return dot != name.npos && source.find(name.substr(dot + 1)) != source.npos;
  }

  // What the line read and wrote of what others use, too.
  struct Access {
    uintptr_t object;
    std::optional<std::string> read = {}, written = {};  // empty: a value that says nothing
  };

  static bool says_nothing(const Access& access) {
    return access.read.value_or("").empty() && access.written.value_or("").empty();
  }

  // What only the library knows (its table of who waits), and what was said of the object already.
  void leave_out_internals(std::vector<Access>& accesses) const {
    std::set<std::string> said;
    std::erase_if(accesses, [&](const Access& access) {
      const std::string name = run_.names.object(access.object);
      if (name.starts_with("std::__detail::")) return true;
      if (name.starts_with("shared_ptr<") && !objects_.contains(access.object)) return true;
      return !said.insert(name).second && says_nothing(access);
    });
  }

  void add_note(const Line& line, InterleavingRow& row) {
    std::vector<Access> accesses;
    for (const uint32_t i : line.steps) {
      const channel::TraceEvent& event = *step(i).event;
      // What a library keeps about a thread that it starts is nobody's business.
      if (event.kind == OpKind::thread_create) return;
      const bool is_shared = step(i).contended || objects_.contains(event.object);
      if (event.value_known == 0 || !is_shared) continue;
      auto found = std::ranges::find(accesses, event.object, &Access::object);
      if (found == accesses.end()) found = accesses.insert(accesses.end(), {event.object});
      const std::string value = run_.names.value(event);
      if (step_changes(step(i))) {
        found->written = value;
      } else if (!found->read && !found->written) {  // what it wrote itself, it knows
        found->read = value;
      }
    }
    leave_out_internals(accesses);
    if (accesses.size() == 1) {
      const Access& only = accesses.front();
      const std::string name = run_.names.object(only.object);
      const std::string_view base = std::string_view(name).substr(0, name.find_first_of("+[."));
      if (row.text.find(base) == std::string::npos || base.size() != name.size()) row.object = name;
      row.is_unsaid = row.text.find(base) == std::string::npos && !has_member_of(row.text, name);
      row.note = value_note(only.read, only.written);
      return;
    }
    // What the explanation is about comes first.
    std::stable_partition(accesses.begin(), accesses.end(),
                          [&](const Access& access) { return objects_.contains(access.object); });
    constexpr size_t kMost = 2;
    for (size_t i = 0; i < accesses.size() && i < kMost; ++i) {
      if (i == 1) row.brief = row.note + ", …";
      const Access& access = accesses[i];
      const std::string name = run_.names.object(access.object);
      if (i != 0) row.note += ", ";
      row.note += says_nothing(access)
                      ? fmt::format("{}: {}", name, value_note(access.read, access.written))
                  : !access.read ? fmt::format("{} = {}", name, *access.written)
                  : !access.written
                      ? fmt::format("{} is {}", name, *access.read)
                      : fmt::format("{}: {}", name, value_note(access.read, access.written));
    }
  }

  void add_failure(Interleaving& into) {
    const channel::Failure& end = record().end;
    if (end.outcome == Outcome::deadlock) return add_stuck(into);
    if (end.outcome == Outcome::exited) {
      if (end.outcome == Outcome::exited && end.code != 0) {
        into.rows.push_back({Kind::failed, end.thread});
        into.rows.back().text = fmt::format("exit status {}", end.code);
      }
      return;
    }
    const Frame frame =
        run_.symbols.line_that_matters(end.stack, end.outcome == Outcome::signalled);
    const bool is_shown = !into.rows.empty() && into.rows.back().kind == Kind::line &&
                          into.rows.back().thread == end.thread &&
                          into.rows.back().line == frame.line;
    if (!is_shown && frame.line != 0) {
      InterleavingRow row{Kind::line, end.thread};
      row.file = base_name(frame.file);
      row.line = frame.line;
      row.text = sources_.text(frame.file, frame.line);
      row.decisive = true;
      into.rows.push_back(std::move(row));
    }
    into.rows.push_back({Kind::failed, end.thread});
    into.rows.back().text = end.outcome == Outcome::assertion ? "assertion fails" : summary(end);
  }

  const NamedRun& run_;
  const Explanation& why_;
  SourceLines& sources_;
  std::vector<Line> lines_;
  std::set<uintptr_t> objects_;  // that the explanation is about
};

}  // namespace

Interleaving make_interleaving(const NamedRun& run, const Explanation& why, SourceLines& sources,
                               const InterleavingLimits& limits) {
  return Maker(run, why, sources).make(limits);
}

}  // namespace jostle::report
