// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/image/image.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <initializer_list>

namespace jostle::rt {
namespace {

const size_t kPage = static_cast<size_t>(sysconf(_SC_PAGESIZE));
constexpr int kRunsToLearn = 3;    // as in image.cc
constexpr int kRunsToCool = 4096;  // 16 audits, one every 256 rewinds

volatile sig_atomic_t g_faults = 0;

void on_fault(int, siginfo_t* info, void*) {
  g_faults = g_faults + 1;
  if (!image_on_fault(reinterpret_cast<uintptr_t>(info->si_addr))) signal(SIGSEGV, SIG_DFL);
}

// Pages of the test's own, each byte set to the number of its page, and a handler that makes them
// hot. Nothing else of the process is in the image.
class Image : public testing::Test {
 protected:
  void SetUp() override {
    struct sigaction action = {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, &before_);
    image_reset();
    g_faults = 0;
  }
  void TearDown() override {
    image_reset();
    sigaction(SIGSEGV, &before_, nullptr);
    if (memory_) munmap(address(0), size_);
  }

  void map(size_t pages) {
    size_ = pages * kPage;
    void* p = mmap(nullptr, size_, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ASSERT_NE(p, MAP_FAILED);
    memory_ = static_cast<volatile char*>(p);
  }
  void fill() {
    for (size_t i = 0; i < size_; i += kPage) {
      memset(address(i), static_cast<int>(i / kPage + 1), kPage);
    }
  }
  void map_and_fill(size_t pages) {
    map(pages);
    fill();
  }
  char* address(size_t offset) { return const_cast<char*>(memory_) + offset; }
  uintptr_t number(size_t offset) { return reinterpret_cast<uintptr_t>(memory_) + offset; }
  void save(size_t begin, size_t end) {
    image_add(number(begin), number(end));
    ASSERT_TRUE(image_save());
  }
  void write(std::initializer_list<size_t> offsets, char value) {
    for (const size_t offset : offsets) memory_[offset] = value;
  }
  static void learn() {
    for (int i = 0; i < kRunsToLearn; ++i) image_rewind();
  }
  bool is_as_filled(size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      if (memory_[i] != static_cast<char>(i / kPage + 1)) return false;
    }
    return true;
  }

  volatile char* memory_ = nullptr;
  size_t size_ = 0;
  struct sigaction before_ = {};
};

TEST_F(Image, PutsBackWhatChangedWhileItLearns) {
  map_and_fill(4);
  save(0, size_);
  EXPECT_EQ(image_bytes(), size_);
  memory_[kPage + 5] = 99;
  image_rewind();
  EXPECT_TRUE(is_as_filled(0, size_));
  EXPECT_EQ(g_faults, 0) << "nothing is protected yet";
  EXPECT_EQ(image_hot_pages(), 1u);
}

TEST_F(Image, OnlyTouchedPagesBecomeHot) {
  map_and_fill(16);
  save(0, size_);
  learn();
  EXPECT_EQ(image_hot_pages(), 0u);
  memory_[3 * kPage] = 99;
  memory_[3 * kPage + 1] = 99;
  memory_[9 * kPage + kPage - 1] = 99;
  EXPECT_EQ(g_faults, 2);
  EXPECT_EQ(image_hot_pages(), 2u);
  image_rewind();
  EXPECT_TRUE(is_as_filled(0, size_));
  memory_[3 * kPage] = 98;
  EXPECT_EQ(g_faults, 2) << "a hot page never faults again";
  image_rewind();
  EXPECT_TRUE(is_as_filled(0, size_));
}

TEST_F(Image, PagesOfTheFirstRunsAreHotAtOnce) {
  map_and_fill(4);
  save(0, size_);
  memory_[2 * kPage] = 99;
  learn();
  memory_[2 * kPage] = 98;
  EXPECT_EQ(g_faults, 0);
  image_rewind();
  EXPECT_TRUE(is_as_filled(0, size_));
}

TEST_F(Image, FaultsElsewhereAreNotOurs) {
  map_and_fill(4);
  save(kPage, 3 * kPage);
  EXPECT_FALSE(image_on_fault(number(kPage))) << "nothing is protected yet";
  learn();
  EXPECT_FALSE(image_on_fault(number(0)));
  EXPECT_FALSE(image_on_fault(number(3 * kPage)));
  EXPECT_TRUE(image_on_fault(number(kPage)));
  EXPECT_FALSE(image_on_fault(number(kPage))) << "it is hot: another reason for the fault";
}

// What shares its page with memory outside is never protected, and the neighbour is left alone.
TEST_F(Image, StretchesNeedNotStartAtPages) {
  map_and_fill(4);
  const size_t begin = kPage / 2 + 3, end = 3 * kPage + 17;
  save(begin, end);
  EXPECT_EQ(image_bytes(), end - begin);
  EXPECT_EQ(image_hot_pages(), 2u);
  learn();
  write({begin - 1, begin}, 99);
  write({end - 1, end}, 99);
  EXPECT_EQ(g_faults, 0);
  memory_[2 * kPage] = 99;
  EXPECT_EQ(g_faults, 1);
  image_rewind();
  EXPECT_TRUE(is_as_filled(begin, end));
  EXPECT_EQ(memory_[begin - 1], 99);
  EXPECT_EQ(memory_[end], 99);
}

TEST_F(Image, TwoStretchesMayShareAPage) {
  map_and_fill(2);
  image_add(number(0), number(100));
  image_add(number(200), number(2 * kPage));
  ASSERT_TRUE(image_save());
  learn();
  write({99, 100, 199, 200, kPage}, 99);
  image_rewind();
  EXPECT_TRUE(is_as_filled(0, 100));
  EXPECT_TRUE(is_as_filled(200, 2 * kPage));
  EXPECT_EQ(memory_[100], 99);
  EXPECT_EQ(memory_[199], 99);
}

TEST_F(Image, AStretchWithinAPage) {
  map_and_fill(1);
  save(100, 103);
  learn();
  memset(address(99), 99, 5);
  image_rewind();
  EXPECT_EQ(memory_[99], 99);
  EXPECT_TRUE(is_as_filled(100, 103));
  EXPECT_EQ(memory_[103], 99);
}

// The kernel does not fault: it must find the pages open.
TEST_F(Image, OpenedPagesCanBeWrittenByTheKernel) {
  map_and_fill(8);
  save(0, size_);
  learn();
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "abcd", 4), 4);
  EXPECT_EQ(read(ends[0], address(2 * kPage - 2), 4), -1) << "what image_open is for";
  image_open(memory_ + 2 * kPage - 2, 4);
  EXPECT_EQ(image_hot_pages(), 2u);
  EXPECT_EQ(read(ends[0], address(2 * kPage - 2), 4), 4);
  EXPECT_EQ(g_faults, 0);
  close(ends[0]);
  close(ends[1]);
  image_rewind();
  EXPECT_TRUE(is_as_filled(0, size_));
}

TEST_F(Image, OpeningMoreThanTheImageOpensWhatThereIs) {
  map_and_fill(8);
  save(2 * kPage, 4 * kPage);
  learn();
  image_open(memory_, 0);
  image_open(memory_ + 5 * kPage, kPage);
  EXPECT_EQ(image_hot_pages(), 0u);
  image_open(memory_, SIZE_MAX);
  EXPECT_EQ(image_hot_pages(), 2u);
  image_open(nullptr, SIZE_MAX / 2);
  memory_[3 * kPage] = 99;
  EXPECT_EQ(g_faults, 0);
}

TEST_F(Image, OpenAllIsForOneRun) {
  map_and_fill(8);
  save(0, size_);
  learn();
  image_open_all();
  write({kPage, 5 * kPage}, 99);
  EXPECT_EQ(g_faults, 0);
  image_rewind();
  EXPECT_TRUE(is_as_filled(0, size_));
  EXPECT_EQ(image_hot_pages(), 2u);
  memory_[2 * kPage] = 99;
  EXPECT_EQ(g_faults, 1) << "protected again";
  image_rewind();
  EXPECT_TRUE(is_as_filled(0, size_));
}

TEST_F(Image, OverlapsWhatWasAdded) {
  map_and_fill(4);
  save(kPage, 2 * kPage);
  EXPECT_TRUE(image_overlaps(memory_, size_));
  EXPECT_TRUE(image_overlaps(memory_ + kPage - 1, 2));
  EXPECT_TRUE(image_overlaps(memory_ + 2 * kPage - 1, 1));
  EXPECT_FALSE(image_overlaps(memory_, kPage));
  EXPECT_FALSE(image_overlaps(memory_ + 2 * kPage, kPage));
  image_reset();
  EXPECT_FALSE(image_overlaps(memory_, size_));
}

TEST_F(Image, PagesThatNoLongerChangeBecomeColdAgain) {
  map_and_fill(8);
  save(0, size_);
  learn();
  memory_[kPage] = 99;
  memory_[2 * kPage] = 99;
  image_rewind();
  EXPECT_EQ(image_hot_pages(), 2u);
  for (int i = 0; i < kRunsToCool + 256; ++i) {
    memory_[2 * kPage] = 98;
    image_rewind();
  }
  EXPECT_EQ(image_hot_pages(), 1u) << "the busy one stays";
  EXPECT_EQ(g_faults, 2);
  memory_[kPage] = 97;
  EXPECT_EQ(g_faults, 3);
  image_rewind();
  EXPECT_TRUE(is_as_filled(0, size_));
}

TEST_F(Image, PagesSharedWithOthersStayHot) {
  map_and_fill(2);
  save(10, kPage + 10);
  for (int i = 0; i < kRunsToCool + 256; ++i) image_rewind();
  EXPECT_EQ(image_hot_pages(), 2u);
  write({9, 10}, 99);
  EXPECT_EQ(g_faults, 0);
}

TEST_F(Image, ASecondSaveTakesTheNewContents) {
  map_and_fill(4);
  save(0, size_);
  learn();
  memory_[kPage] = 99;
  image_rewind();
  image_reset();
  EXPECT_EQ(image_bytes(), 0u);
  EXPECT_EQ(image_hot_pages(), 0u);
  memory_[0] = 55;
  memory_[3 * kPage] = 55;
  EXPECT_EQ(g_faults, 1) << "everything is writable after a reset";
  save(0, 2 * kPage);
  learn();
  memory_[0] = 66;
  memory_[3 * kPage] = 66;
  image_rewind();
  EXPECT_EQ(memory_[0], 55);
  EXPECT_EQ(memory_[3 * kPage], 66) << "no longer part of it";
}

TEST_F(Image, EmptyStretchesAreNothing) {
  map_and_fill(2);
  image_add(number(5), number(5));
  image_add(number(9), number(5));
  save(kPage, 2 * kPage);
  learn();
  EXPECT_EQ(image_bytes(), kPage);
  EXPECT_FALSE(image_overlaps(memory_, kPage));
}

TEST_F(Image, NeverWrittenPagesComeBackAsZero) {
  map(64);
  save(0, size_);
  learn();
  for (size_t i = 0; i < size_; i += 4 * kPage) memory_[i + 7] = 1;
  image_rewind();
  for (size_t i = 0; i < size_; ++i) ASSERT_EQ(memory_[i], 0) << i;
}

// Of what was saved some pieces are zero and some are not, in runs of every length.
TEST_F(Image, PagesThatArePartlyZeroComeBack) {
  map(3);
  const size_t piece = kPage / 64;
  const auto expected = [&](size_t i) {
    const size_t n = i % kPage / piece;  // pieces 1 to 3, 8 to 15 and the last one of a page
    return static_cast<char>((n >= 1 && n < 4) || (n >= 8 && n < 16) || n == 63 ? 7 : 0);
  };
  for (size_t i = 0; i < size_; ++i) memory_[i] = expected(i);
  const size_t begin = 5 * piece + 3, end = size_ - piece - 5;
  save(begin, end);
  learn();
  for (int run = 0; run < 2; ++run) {
    memset(address(0), 99, size_);
    image_rewind();
    for (size_t i = begin; i < end; ++i) ASSERT_EQ(memory_[i], expected(i)) << i;
    EXPECT_EQ(memory_[begin - 1], 99);
    EXPECT_EQ(memory_[end], 99);
  }
}

TEST_F(Image, WhatIsAdoptedStays) {
  map_and_fill(4);
  image_add(number(0), number(4 * kPage));
  image_adopt(number(2 * kPage - 8), number(2 * kPage + 8));
  ASSERT_TRUE(image_save());
  write({2 * kPage - 1}, 55);
  learn();
  EXPECT_EQ(image_hot_pages(), 0u) << "what is adopted is no change";
  write({2 * kPage - 9, 2 * kPage, 2 * kPage + 8}, 66);
  EXPECT_EQ(g_faults, 2);
  image_rewind();
  EXPECT_TRUE(is_as_filled(0, 2 * kPage - 1));
  EXPECT_EQ(memory_[2 * kPage - 1], 55);
  EXPECT_EQ(memory_[2 * kPage], 66);
  EXPECT_TRUE(is_as_filled(2 * kPage + 1, 4 * kPage));
}

TEST_F(Image, WhatIsAdoptedIsNoLongerZero) {
  map(1);
  image_add(number(0), number(kPage));
  image_adopt(number(kPage / 2), number(kPage / 2 + 8));
  ASSERT_TRUE(image_save());
  write({0}, 1);
  learn();
  write({kPage / 2}, 55);
  for (int run = 0; run < 2; ++run) image_rewind();
  EXPECT_EQ(memory_[kPage / 2], 55);
  EXPECT_EQ(memory_[0], 0);
}

TEST_F(Image, OnlyWhatIsInTheImageIsAdopted) {
  map_and_fill(2);
  image_add(number(kPage + 100), number(kPage + 200));
  image_adopt(number(0), number(kPage + 110));
  ASSERT_TRUE(image_save());
  learn();
  write({5, kPage + 99, kPage + 109, kPage + 110}, 55);
  image_rewind();
  EXPECT_EQ(memory_[kPage + 109], 55);
  EXPECT_TRUE(is_as_filled(kPage + 110, kPage + 200));
  EXPECT_EQ(memory_[5], 55);
}

// The kernel allows 65,530 mappings, and every second page a hot one needs more than that. It must
// get slower, not wrong.
TEST_F(Image, MoreStretchesThanTheKernelAllows) {
  if (kPage > 4096) GTEST_SKIP() << "needs too much memory";
  for (const bool known_from_the_start : {true, false}) {
    constexpr size_t kPages = 70'000;
    image_reset();
    map(kPages);
    save(0, size_);
    const auto touch = [&](size_t first) {
      for (size_t i = first; i < kPages; i += 2) memory_[i * kPage] = 1;
    };
    if (known_from_the_start) touch(0);
    learn();
    for (int run = 0; run < 2; ++run) {
      touch(0);
      memory_[kPage + kPage * 1000 * static_cast<size_t>(run)] = 1;
      memory_[(kPages - 1 - 2 * static_cast<size_t>(run)) * kPage] = 1;
      image_rewind();
      for (size_t i = 0; i < kPages; ++i) ASSERT_EQ(memory_[i * kPage], 0) << i << " in " << run;
    }
    image_reset();
    munmap(address(0), size_);
    memory_ = nullptr;
  }
}

}  // namespace
}  // namespace jostle::rt
