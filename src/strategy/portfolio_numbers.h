// SPDX-License-Identifier: Apache-2.0
// The numbers of the portfolio: who has which share of the runs, whose the first ones are.
//
// Where the numbers come from. Measured: by `./dev bench portfolio`, schedules to the first bug
// over those of the best member; what was compared is said. Chosen: a guess that was never compared
// with others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace jostle::portfolio {

// Shares of the runs. Measured: that the four best have shares alike. With more than half of the
// runs rff's (18 of 32) the programs of our own took 2.4 times what the best member takes, now 1.4;
// those of the papers as much as before.
struct Arm {
  std::string_view spec;
  uint64_t share;
};
inline constexpr Arm kArms[] = {
    {"rff", 7},     {"surw", 8},    {"pos", 2},      {"urw", 6},    {"random", 1},  {"pct:d=2", 1},
    {"pct:d=3", 1}, {"pct:d=5", 1}, {"pct:d=10", 1}, {"mutate", 1}, {"events", 24},
};
inline constexpr size_t kArmCount = sizeof(kArms) / sizeof(kArms[0]);

inline constexpr size_t kRff = 0, kSurw = 1, kPos = 2, kUrw = 3, kRandom = 4;
// Only for programs with callbacks; the last.
inline constexpr size_t kEvents = kArmCount - 1;
inline constexpr size_t kMutate = kEvents - 1;

// Whose the first runs are. Measured: a random walk before rff knows anything finds one bug in
// five, where the run without preemption finds next to none, and rff learns as much from it; with
// fewer of rff's runs the programs of the papers take longer, with more those of our own.
inline constexpr size_t kVeryFirst[] = {kRandom, kRff, kRff, kRff, kUrw,  kRff, kSurw,
                                        kRff,    kPos, kRff, kUrw, kSurw, kRff};
inline constexpr uint64_t kVeryFirstRuns = std::size(kVeryFirst);
// … of a program with callbacks. Chosen. To hold one back is no arm: it has its places, not a
// share.
inline constexpr size_t kHold = kArmCount;
inline constexpr size_t kVeryFirstOfLoops[] = {kHold, kRff,  kHold, kHold, kPos,
                                               kHold, kHold, kRff,  kHold};
inline constexpr uint64_t kVeryFirstRunsOfLoops = 1 + std::size(kVeryFirstOfLoops);
// So many runs at most have a single delay, one in kDelayed of all until then. Measured: with one
// in four what samplers find takes longer by that much; the numbers are chosen.
inline constexpr uint64_t kMostDelayed = 256;
inline constexpr uint64_t kDelayed = 16;
// So many at most hold a callback back, one in kHeldBack of all until then. Chosen.
inline constexpr uint64_t kMostHeld = 64;
inline constexpr uint64_t kHeldBack = 4;

// So many executions are explored in full, if there are no more. One run in kRarely goes to that at
// first, one in kOften once there have been kEnough others and kNews of them without news, or when
// not more than kFew seem to be left; of a space that has shown to be larger than kNotSmall one in
// kSeldom. Chosen.
inline constexpr uint64_t kSmallSpace = 1 << 16;
inline constexpr uint64_t kNotSmall = 1 << 13;
inline constexpr uint64_t kSeldom = 8;
inline constexpr uint64_t kFew = 256;
inline constexpr uint64_t kRarely = 32;
inline constexpr uint64_t kOften = 2;
inline constexpr uint64_t kEnough = 1024;
inline constexpr uint64_t kNews = 256;
// Runs without a preemption, and those of the reduced search, can be far longer than others: a loop
// that counts until another thread stops it goes on to the limit. Where they have kCostly times the
// events of a typical run, all of them together may have one in kOfCostly of what the arms' runs
// have. Chosen.
inline constexpr double kCostly = 16;
inline constexpr double kOfCostly = 8;

// What an arm has brought lately for what it cost: averages over its runs that forget at this rate,
// half of it in 35 runs. The best arm gets 1 + kMostForSuccess times its share, one that brings
// nothing its share. Measured: no difference to none at all on small programs. Chosen.
inline constexpr double kYieldRate = 0.02;
inline constexpr double kMostForSuccess = 2;
// What a run of rff costs over one of a sampler with as many events. Measured, on safestack. (Time
// itself would make the campaign another one every time.)
inline constexpr double kCostOfRff = 2.5;
// When nothing new comes any more (kEnough, kNews), surw's share is so many times as large, and
// every arm's is divided by its cost. Measured: what takes longest (safestack, token_passing) surw
// finds in fewer runs than the other samplers. Chosen: the number.
inline constexpr double kLateForSurw = 3;

// All runs are shown to rff until there have been so many without news; then its own, and one in
// kShownOneIn of the others. Chosen.
inline constexpr uint64_t kShown = 64;
inline constexpr uint64_t kShownOneIn = 8;

}  // namespace jostle::portfolio
