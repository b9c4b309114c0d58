// SPDX-License-Identifier: Apache-2.0
#include "src/cli/folder/segment.h"

#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "src/base/hash.h"

namespace jostle::cli {
namespace {

constexpr std::string_view kMagic = "JSTLSEG\n";
constexpr uint32_t kSegmentVersion = 1;
constexpr size_t kChecksumAt = 40;
constexpr size_t kHeaderBytes = 48;

// Numbers are written once and mean the same for ever.
enum class RecordKind : uint32_t {
  progress = 1,
  schedule = 2,
  pair = 3,
  reads_from_class = 4,
  race = 5,
  lock_edge = 6,
  share = 7,
  input = 8,
  failure = 9,
  covered = 10,
  unit = 11,
  answer = 12,
  notes = 13,
};
// A record begins with a word: its kind, and how many bytes follow.
constexpr uint32_t kSizeBits = 24;
constexpr uint32_t kMostRecordBytes = (1u << kSizeBits) - 1;

constexpr size_t kLongestName = 4096;

class RecordWriter {
 public:
  template <typename T>
  void number(T value) {
    for (size_t i = 0; i < sizeof(T); ++i) {
      bytes_ += static_cast<char>(static_cast<uint64_t>(value) >> (8 * i) & 0xFF);
    }
  }
  void text(std::string_view value) { bytes_ += value.substr(0, kLongestName); }

  void bytes(std::string_view value) { bytes_ += value; }

  void begin(RecordKind kind) {
    close();
    at_ = bytes_.size();
    kind_ = kind;
    ++count_;
    number<uint32_t>(0);
  }
  // The size of the record that was begun last is known now.
  void close() {
    if (at_ == kNone) return;
    const auto size = static_cast<uint32_t>(bytes_.size() - at_ - sizeof(uint32_t));
    const uint32_t word = static_cast<uint32_t>(kind_) << kSizeBits | size;
    for (size_t i = 0; i < sizeof word; ++i) bytes_[at_ + i] = static_cast<char>(word >> (8 * i));
    at_ = kNone;
  }
  uint32_t count() const { return count_; }
  std::string& bytes() { return bytes_; }

 private:
  static constexpr size_t kNone = SIZE_MAX;
  std::string bytes_;
  size_t at_ = kNone;
  RecordKind kind_ = {};
  uint32_t count_ = 0;
};

// Never reads behind the end: what is not there is zero, and `ok` says so.
class SegmentReader {
 public:
  explicit SegmentReader(std::string_view bytes) : left_(bytes) {}

  template <typename T>
  T number() {
    if (left_.size() < sizeof(T)) {
      ok_ = false;
      left_ = {};
      return 0;
    }
    uint64_t value = 0;
    for (size_t i = 0; i < sizeof(T); ++i) {
      value |= uint64_t{static_cast<unsigned char>(left_[i])} << (8 * i);
    }
    left_.remove_prefix(sizeof(T));
    return static_cast<T>(value);
  }
  std::string_view take(size_t size) {
    if (left_.size() < size) {
      ok_ = false;
      return {};
    }
    const std::string_view taken = left_.substr(0, size);
    left_.remove_prefix(size);
    return taken;
  }
  std::string_view rest() { return take(left_.size()); }
  bool empty() const { return left_.empty(); }
  bool ok() const { return ok_; }

 private:
  std::string_view left_;
  bool ok_ = true;
};

void write_schedule(RecordWriter& to, const AbstractSchedule& schedule) {
  to.begin(RecordKind::schedule);
  for (uint32_t i = 0; i < schedule.count; ++i) {
    const Constraint& c = schedule.constraints[i];
    to.number(c.location);
    to.number(c.write);
    to.number(c.read);
    to.number<uint8_t>(c.negative);
  }
}

bool read_schedule(SegmentReader& from, AbstractSchedule& schedule) {
  while (!from.empty()) {
    if (schedule.count == kMostConstraints) return false;
    Constraint& c = schedule.constraints[schedule.count++];
    c.location = from.number<uint64_t>();
    c.write = from.number<uint64_t>();
    c.read = from.number<uint64_t>();
    const auto negative = from.number<uint8_t>();
    if (negative > 1) return false;
    c.negative = negative == 1;
  }
  return schedule.count != 0;
}

void write_lock(RecordWriter& to, const LockEdge::Lock& lock) {
  to.number(lock.name);
  to.number(lock.place);
  to.number(lock.offset);
  to.number(lock.site);
  to.number(lock.memory);
  to.number(lock.reads);
}

LockEdge::Lock read_lock(SegmentReader& from) {
  LockEdge::Lock lock{};
  lock.name = from.number<uint64_t>();
  lock.place = from.number<uint64_t>();
  lock.offset = from.number<uint64_t>();
  lock.site = from.number<uint64_t>();
  lock.memory = from.number<uint32_t>();
  lock.reads = from.number<uint32_t>();
  return lock;
}

void write_edge(RecordWriter& to, const LockEdgeRecord& edge) {
  to.begin(RecordKind::lock_edge);
  write_lock(to, edge.held);
  write_lock(to, edge.wanted);
  to.number(edge.thread);
  to.number(edge.schedule_number);
  for (const uint64_t gate : edge.gates) to.number(gate);
}

bool read_edge(SegmentReader& from, LockEdgeRecord& edge) {
  edge.held = read_lock(from);
  edge.wanted = read_lock(from);
  edge.thread = from.number<uint64_t>();
  edge.schedule_number = from.number<uint64_t>();
  while (from.ok() && !from.empty()) {
    if (edge.gates.size() == LockEdge::kMostGates) return false;
    edge.gates.push_back(from.number<uint64_t>());
  }
  return true;
}

void write_progress(RecordWriter& to, const Segment& segment) {
  const WorkerProgress& progress = segment.progress;
  to.begin(RecordKind::progress);
  to.number(progress.elapsed_ms);
  to.number(progress.schedules);
  to.number(progress.failing_schedules);
  to.number(progress.distinct);
  to.number(progress.classes);
  to.number(progress.classified);
  to.number(progress.exchanging_ms);
  to.number(segment.class_bits);
}

bool read_progress(SegmentReader& from, Segment& segment) {
  WorkerProgress& progress = segment.progress;
  progress.elapsed_ms = from.number<uint64_t>();
  progress.schedules = from.number<uint64_t>();
  progress.failing_schedules = from.number<uint64_t>();
  progress.distinct = from.number<uint64_t>();
  progress.classes = from.number<uint64_t>();
  progress.classified = from.number<uint64_t>();
  progress.exchanging_ms = from.number<uint64_t>();
  segment.class_bits = from.number<uint32_t>();
  return segment.class_bits < 64;
}

void write_pieces(RecordWriter& to, RecordKind kind, std::string_view bytes) {
  for (; !bytes.empty(); bytes.remove_prefix(std::min<size_t>(bytes.size(), kMostRecordBytes))) {
    to.begin(kind);
    to.bytes(bytes.substr(0, kMostRecordBytes));
  }
}

void write_records(RecordWriter& to, const Segment& segment) {
  write_progress(to, segment);
  for (const AbstractSchedule& schedule : segment.schedules) write_schedule(to, schedule);
  for (const uint64_t pair : segment.pairs) {
    to.begin(RecordKind::pair);
    to.number(pair);
  }
  for (const ClassTally& tally : segment.classes) {
    to.begin(RecordKind::reads_from_class);
    to.number(tally.hash);
    to.number(tally.runs);
  }
  for (const uint64_t race : segment.races) {
    to.begin(RecordKind::race);
    to.number(race);
  }
  for (const LockEdgeRecord& edge : segment.lock_edges) write_edge(to, edge);
  for (const StrategyShare& share : segment.shares) {
    to.begin(RecordKind::share);
    to.number(share.percent);
    to.text(share.name);
  }
  for (const InputNews& input : segment.inputs) {
    to.begin(RecordKind::input);
    to.number(input.hash);
    to.number(input.size);
  }
  for (const FailureTally& failure : segment.failures) {
    to.begin(RecordKind::failure);
    to.number(failure.identity);
    to.number(failure.times);
  }
  for (const Covered& covered : segment.covered) {
    to.begin(RecordKind::covered);
    to.number(covered.sequence);
    to.text(covered.worker);
  }
  if (segment.unit.identity != 0) {
    to.begin(RecordKind::unit);
    to.number(segment.unit.identity);
    write_pieces(to, RecordKind::answer, segment.unit.answer);
    write_pieces(to, RecordKind::notes, segment.unit.notes);
  }
  to.close();
}

// False: no record of this kind looks like that.
bool read_record(RecordKind kind, SegmentReader from, Segment& to) {
  switch (kind) {
    case RecordKind::progress:
      if (!read_progress(from, to)) return false;
      break;
    case RecordKind::schedule:
      return read_schedule(from, to.schedules.emplace_back()) && from.ok();
    case RecordKind::pair:
      to.pairs.push_back(from.number<uint64_t>());
      break;
    case RecordKind::reads_from_class: {
      ClassTally& tally = to.classes.emplace_back();
      tally.hash = from.number<uint64_t>();
      tally.runs = from.number<uint32_t>();
      break;
    }
    case RecordKind::race:
      to.races.push_back(from.number<uint64_t>());
      break;
    case RecordKind::lock_edge:
      return read_edge(from, to.lock_edges.emplace_back()) && from.ok();
    case RecordKind::share: {
      StrategyShare& share = to.shares.emplace_back();
      share.percent = from.number<uint32_t>();
      share.name = from.rest();
      break;
    }
    case RecordKind::input: {
      InputNews& input = to.inputs.emplace_back();
      input.hash = from.number<uint64_t>();
      input.size = from.number<uint32_t>();
      break;
    }
    case RecordKind::failure: {
      FailureTally& failure = to.failures.emplace_back();
      failure.identity = from.number<uint64_t>();
      failure.times = from.number<uint32_t>();
      break;
    }
    case RecordKind::covered: {
      Covered& covered = to.covered.emplace_back();
      covered.sequence = from.number<uint64_t>();
      covered.worker = from.rest();
      break;
    }
    case RecordKind::unit:
      to.unit.identity = from.number<uint64_t>();
      break;
    case RecordKind::answer:
      to.unit.answer += from.rest();
      break;
    case RecordKind::notes:
      to.unit.notes += from.rest();
      break;
    default:
      break;  // of a later version
  }
  return from.ok();
}

uint32_t checksum(std::string_view header, std::string_view body) {
  const auto data = [](std::string_view text) {
    return reinterpret_cast<const Bytef*>(text.data());
  };
  uLong crc = crc32(0, data(header), static_cast<uInt>(header.size()));
  crc = crc32_z(crc, data(body), body.size());
  return static_cast<uint32_t>(crc);
}

}  // namespace

std::string encode(const Segment& segment) {
  RecordWriter records;
  write_records(records, segment);
  RecordWriter file;
  file.text(kMagic);
  file.number(kSegmentVersion);
  file.number(records.count());
  file.number(segment.sequence);
  file.number(segment.written_ms);
  file.number<uint64_t>(records.bytes().size());
  file.number(checksum(file.bytes(), records.bytes()));
  file.number<uint32_t>(0);
  return std::move(file.bytes()) + records.bytes();
}

SegmentState decode(std::string_view bytes, Segment& segment) {
  const std::string_view magic = bytes.substr(0, kMagic.size());
  if (magic != kMagic.substr(0, magic.size()) || bytes.empty()) return SegmentState::foreign;
  if (bytes.size() < kHeaderBytes) return SegmentState::cut_off;
  SegmentReader header(bytes.substr(kMagic.size()));
  const auto version = header.number<uint32_t>();
  if (version > kSegmentVersion) return SegmentState::newer;
  const auto count = header.number<uint32_t>();
  Segment read;
  read.sequence = header.number<uint64_t>();
  read.written_ms = header.number<uint64_t>();
  const auto size = header.number<uint64_t>();
  const auto crc = header.number<uint32_t>();
  const std::string_view body = bytes.substr(kHeaderBytes);
  if (body.size() < size) return SegmentState::cut_off;
  if (version != kSegmentVersion || body.size() != size ||
      checksum(bytes.substr(0, kChecksumAt), body) != crc) {
    return SegmentState::corrupt;
  }
  SegmentReader records(body);
  for (uint32_t i = 0; i < count; ++i) {
    const auto word = records.number<uint32_t>();
    const std::string_view record = records.take(word & kMostRecordBytes);
    const auto kind = static_cast<RecordKind>(word >> kSizeBits);
    if (!records.ok() || !read_record(kind, SegmentReader(record), read))
      return SegmentState::corrupt;
  }
  if (!records.empty()) return SegmentState::corrupt;
  segment = std::move(read);
  return SegmentState::good;
}

bool is_sent(uint64_t class_hash, uint32_t bits) {
  constexpr uint64_t kMixed = 0x6A6F73746C652D72;  // sums of pairs are mixed once more
  return bits == 0 || std::countr_zero(combine(kMixed, class_hash)) >= static_cast<int>(bits);
}

// In any order: constraints are a set.
uint64_t schedule_hash(const AbstractSchedule& schedule) {
  uint64_t sum = schedule.count;
  for (uint32_t i = 0; i < std::min(schedule.count, kMostConstraints); ++i) {
    const Constraint& c = schedule.constraints[i];
    sum += combine(combine(c.write, c.read), c.negative);
  }
  return combine(sum, sum >> 7);
}

}  // namespace jostle::cli
