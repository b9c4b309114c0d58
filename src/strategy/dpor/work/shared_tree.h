// SPDX-License-Identifier: Apache-2.0
// The tree that workers in several processes share (work_tree.h). Each has a copy of it, in its own
// numbers. On the board (schedule/search/search_board.h) is what keeps the copies equal: the tree
// as it was once, and the operations on it since then, in their order. What an operation does
// depends on the tree alone: who repeats all of them has the same tree.
//
// Bytes on the board:
//   what is known of the program, the tree    nothing of it in the first generation
//   operations: Kind, its operands
// When operations have become many, the next generation begins, in the other half of the board: who
// dies while writing damages nothing.
#pragma once

#include <cstdint>

#include "src/schedule/search/search_board.h"
#include "src/strategy/dpor/work/byte_stream.h"
#include "src/strategy/dpor/work/shared_knowledge.h"
#include "src/strategy/dpor/work/work_tree.h"

namespace jostle::dpor {

class SharedTree {
 public:
  // Operations are repeated faster than a large tree is read: generations are at least this long.
  static constexpr uint64_t kLongGeneration = 1 << 22;

  // All outlive this. `knowledge` may be null.
  SharedTree(FootprintTable* footprints, ChoicePaths* paths, ThreadNames* threads,
             SharedKnowledge* knowledge, uint64_t generation_size)
      : footprints_(footprints),
        paths_(paths),
        threads_(threads),
        knowledge_(knowledge),
        generation_size_(generation_size),
        tree_(footprints, paths) {}

  void join(SearchBoard* board);
  // How many operations there were when the copy was last made equal.
  uint64_t version() const { return version_; }
  // As it was then. What is covered in an old copy is so still.
  WorkTree& copy() { return tree_; }

  // The rest REQUIRES that the board is locked.

  // Makes the copy equal. False: what others know of the program contradicts what runs of this
  // process relied on.
  bool follow();

  // On all copies; see WorkTree. REQUIRES: follow().
  bool claim(Work& work);
  bool settle(uint32_t ticket, const Step& step);
  uint32_t publish(uint32_t ticket, const PublishedState& state);
  bool insert(uint32_t ticket, uint32_t depth, const Step* sequence, size_t count);
  void finish(uint32_t ticket);
  void drop(uint32_t ticket);
  // As new, with what is known now.
  void clear();

 private:
  enum class Kind : uint8_t { claim, settle, publish, insert, finish, drop, knowledge };

  bool read_beginning(ByteReader& from);
  bool repeat(ByteReader& from);
  // An operation that was done, in writer_.
  void start(Kind kind);
  void append();
  void begin_generation();
  void put(const ByteWriter& bytes);
  void give_up() { board_->is_broken = 1; }

  FootprintTable* footprints_;
  ChoicePaths* paths_;
  ThreadNames* threads_;
  SharedKnowledge* knowledge_;
  uint64_t generation_size_;
  WorkTree tree_;
  SearchBoard* board_ = nullptr;
  uint64_t version_ = 0;
  uint32_t generation_ = 0;
  uint64_t position_ = 0;        // up to which bytes of the generation have been read
  uint64_t known_revision_ = 0;  // of the knowledge, as it was read and written
  ByteWriter writer_;
  ByteWriter known_;
  Work work_;
  PublishedState state_;
  EngineVector<Step> sequence_;
  EngineVector<Part> parts_;
};

}  // namespace jostle::dpor
