// SPDX-License-Identifier: Apache-2.0
// Option values as people write them: durations, numbers, lists of exit codes, and near misses.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jostle::cli {

// 500ms, 30s, 5m, 1h, 1.5h; a plain number means seconds. nullopt for anything else.
std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text);

// Decimal with optional separators (1,000,000 or 1_000_000), or 0x….
std::optional<uint64_t> parse_number(std::string_view text);

// "0,3,10-12": exit codes. nullopt when one is no number up to 255.
std::optional<std::vector<int>> parse_exit_codes(std::string_view text);

// The candidate a user most likely meant; empty when none is near.
std::string nearest(std::string_view typed, const std::vector<std::string>& candidates);

// A word as a shell reads it back: quoted only where it must be.
std::string shell_quote(std::string_view word);

}  // namespace jostle::cli
