// SPDX-License-Identifier: Apache-2.0
// Bytes that JSON cannot hold as they are.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace jostle::cli {

std::string to_base64(std::string_view bytes);
std::optional<std::string> from_base64(std::string_view text);

// A JSON string, or {"base64": "…"} for bytes that are no UTF-8 (arguments and file names may be
// anything).
nlohmann::ordered_json encode_bytes(const std::string& bytes);
std::optional<std::string> decode_bytes(const nlohmann::ordered_json& value);

}  // namespace jostle::cli
