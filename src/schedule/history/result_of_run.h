// SPDX-License-Identifier: Apache-2.0
// How a run came out, as far as anybody can tell from outside of the functions that are to look
// atomic: its exit status, what it printed, and what its threads left in memory.
//
// A run is right if one in which threads change only outside of those functions came out the same.
// Plain data: it lies in memory that the run shares with the process that makes such runs.
#pragma once

#include <cstdint>
#include <cstring>

#include "src/base/hash.h"

namespace jostle {

// Eight bytes of memory, some of which are written: bit i of `bytes` is for the i-th.
struct WrittenWord {
  uintptr_t address;
  uint64_t bytes;
};

// The same for the word as a whole: ones where bytes are written.
inline uint64_t written_bits(uint64_t bytes) {
  uint64_t bits = 0;
  for (int i = 0; i < 8; ++i) {
    if (bytes >> i & 1) bits |= uint64_t{0xff} << 8 * i;
  }
  return bits;
}

// Memory that several threads have used, when the last of those had ended. What the run has not
// written is what happened to be there.
struct ResultWord {
  uint64_t name;   // the same in every run (location_name)
  uint64_t value;  // of what was written; of a pointer: what it points to, by name
  uintptr_t address;
  bool is_at_home;  // it has this address in every run
  bool is_pointer = false;
  uint8_t bytes = 0xff;  // that were written

  bool differs(const ResultWord& other) const {
    if (bytes == other.bytes) return value != other.value;
    if (is_pointer || other.is_pointer) return false;  // parts do not say it
    return ((value ^ other.value) & written_bits(bytes & other.bytes)) != 0;
  }
};

struct ResultOfRun {
  static constexpr uint32_t kMostWords = 512;
  static constexpr uint32_t kMostOutput = 192;

  int32_t status;
  uint32_t word_count;             // in the order of names
  uint64_t output;                 // hash of all that was printed
  char output_begin[kMostOutput];  // … and its beginning, ended by a zero
  ResultWord words[kMostWords];

  uint64_t key() const {
    uint64_t hash = combine(static_cast<uint64_t>(status), output);
    for (uint32_t i = 0; i < word_count; ++i) {
      hash = combine(combine(hash, words[i].name), combine(words[i].value, words[i].bytes));
    }
    return hash != 0 ? hash : 1;
  }
};

// Where two results differ. Words that only one of them has say nothing: which memory several
// threads have used is another matter from run to run.
struct ResultDifference {
  static constexpr uint32_t kMost = 8;
  bool status, output;
  uint32_t words;  // how many
  struct Word {
    uintptr_t address;
    uint64_t here, there;
    bool points_here, points_there;  // they are pointers
  } first[kMost];

  bool none() const { return !status && !output && words == 0; }
  // Of two differences the one with what a reader sees first.
  bool is_smaller_than(const ResultDifference& other) const {
    const uint32_t mine = status + output, others = other.status + other.output;
    return mine != others ? mine < others : words < other.words;
  }
};

inline ResultDifference difference(const ResultOfRun& here, const ResultOfRun& there) {
  ResultDifference result = {};
  result.status = here.status != there.status;
  result.output = here.output != there.output;
  for (uint32_t i = 0, k = 0; i < here.word_count && k < there.word_count;) {
    const ResultWord &a = here.words[i], &b = there.words[k];
    if (a.name == b.name && a.differs(b)) {
      if (result.words < ResultDifference::kMost) {
        result.first[result.words] = {a.address, a.value, b.value, a.is_pointer, b.is_pointer};
      }
      ++result.words;
    }
    i += a.name <= b.name;
    k += b.name <= a.name;
  }
  return result;
}

// Why a result is wrong.
struct ResultVerdict {
  uint32_t runs;  // that change threads only outside: none came out like this
  ResultDifference nearest;
  int32_t status_there;
  char output_here[ResultOfRun::kMostOutput], output_there[ResultOfRun::kMostOutput];
};

}  // namespace jostle
