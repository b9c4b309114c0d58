// SPDX-License-Identifier: Apache-2.0
#include "src/report/text/value_text.h"

#include <dwarf.h>
#include <fmt/format.h>

#include <bit>
#include <optional>

#include "src/report/symbols/type_members.h"
#include "src/report/words/text.h"

namespace jostle::report {
namespace {

int64_t sign_extended(uint64_t value, uint32_t size) {
  const unsigned unused = 64 - 8 * size;
  return static_cast<int64_t>(value << unused) >> unused;
}

bool is_c(Dwarf_Die& die) {
  Dwarf_Die unit;
  if (dwarf_diecu(&die, &unit, nullptr, nullptr) == nullptr) return false;
  switch (dwarf_srclang(&unit)) {
    case DW_LANG_C:
    case DW_LANG_C89:
    case DW_LANG_C99:
    case DW_LANG_C11:
      return true;
    default:
      return false;
  }
}

std::string character(uint64_t value) {
  const auto code = static_cast<char>(value);
  if (value < 32 || value >= 127) return {};
  return code == '\'' || code == '\\' ? fmt::format("'\\{}' ({})", code, value)
                                      : fmt::format("'{}' ({})", code, value);
}

std::optional<Dwarf_Word> encoding_of(Dwarf_Die& type) {
  Dwarf_Attribute attribute;
  Dwarf_Word encoding;
  if (dwarf_attr_integrate(&type, DW_AT_encoding, &attribute) == nullptr) return std::nullopt;
  if (dwarf_formudata(&attribute, &encoding) != 0) return std::nullopt;
  return encoding;
}

std::string number(Dwarf_Die& type, uint64_t value, uint32_t size) {
  switch (encoding_of(type).value_or(0)) {
    case DW_ATE_boolean:
      // Other values are no booleans at all, and that is worth seeing.
      return value == 0 ? "false" : value == 1 ? "true" : fmt::format("{}", value);
    case DW_ATE_signed_char:
    case DW_ATE_unsigned_char:
      // A small number is often kept in a char; only what is called so may be text.
      if (die_name(type) == "char") {
        if (std::string text = character(value); !text.empty()) return text;
      }
      return encoding_of(type) == DW_ATE_signed_char ? fmt::format("{}", sign_extended(value, size))
                                                     : fmt::format("{}", value);
    case DW_ATE_UTF: {
      const std::string text = character(value);
      return text.empty() ? fmt::format("{}", value) : text;
    }
    case DW_ATE_signed:
      return fmt::format("{}", sign_extended(value, size));
    case DW_ATE_unsigned:
      return fmt::format("{}", value);
    case DW_ATE_float:
      if (size == sizeof(float)) {
        return fmt::format("{}", std::bit_cast<float>(static_cast<uint32_t>(value)));
      }
      return size == sizeof(double) ? fmt::format("{}", std::bit_cast<double>(value)) : "";
    default:
      return {};
  }
}

// Is an enumeration's number to be read with a sign?
bool has_sign(Dwarf_Die& enumeration) {
  Dwarf_Die underlying;
  if (!type_of(enumeration, underlying) || !bare_type(underlying)) return false;
  const Dwarf_Word encoding = encoding_of(underlying).value_or(0);
  return encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
}

bool is_enumerator(Dwarf_Die& enumerator, uint64_t value, uint32_t size) {
  Dwarf_Attribute attribute;
  Dwarf_Sword number;
  if (dwarf_attr(&enumerator, DW_AT_const_value, &attribute) == nullptr) return false;
  if (dwarf_formsdata(&attribute, &number) != 0) return false;
  // The attribute's own form may have fewer bytes than the type, or a sign where that has none.
  const uint64_t mask = size == 8 ? UINT64_MAX : (uint64_t{1} << 8 * size) - 1;
  Dwarf_Word as_unsigned = 0;
  const bool has_unsigned = dwarf_formudata(&attribute, &as_unsigned) == 0;
  return (static_cast<uint64_t>(number) & mask) == value ||
         (has_unsigned && (as_unsigned & mask) == value);
}

std::string enumerator(Dwarf_Die& type, uint64_t value, uint32_t size) {
  std::string found;
  Dwarf_Die child;
  for (int more = dwarf_child(&type, &child); more == 0; more = dwarf_siblingof(&child, &child)) {
    if (dwarf_tag(&child) != DW_TAG_enumerator || !is_enumerator(child, value, size)) continue;
    if (found.empty()) found = escape(die_name(child));
  }
  if (found.empty()) {
    return has_sign(type) ? fmt::format("{}", sign_extended(value, size))
                          : fmt::format("{}", value);
  }
  Dwarf_Attribute scoped;
  const bool is_class = dwarf_attr(&type, DW_AT_enum_class, &scoped) != nullptr;
  return is_class && !die_name(type).empty() ? fmt::format("{}::{}", escape(die_name(type)), found)
                                             : found;
}

}  // namespace

std::string value_text(Dwarf_Die type, uint64_t value, uint32_t size) {
  if (size == 0 || size > 8 || !bare_type(type)) return {};
  switch (dwarf_tag(&type)) {
    case DW_TAG_base_type:
      return number(type, value, size);
    case DW_TAG_enumeration_type:
      return enumerator(type, value, size);
    case DW_TAG_pointer_type:
    case DW_TAG_reference_type:
    case DW_TAG_rvalue_reference_type:
      if (value != 0) return fmt::format("{:#x}", value);
      return is_c(type) ? "NULL" : "nullptr";
    default:
      return {};
  }
}

std::string value_text(uint64_t value, uint32_t size) {
  if (size == 0 || size > 8) return fmt::format("{:#x}", value);
  const int64_t number = sign_extended(value, size);
  constexpr int64_t kReadable = 10'000'000'000;
  if (number < 0 && number > -100'000) return fmt::format("{}", number);
  if (value < static_cast<uint64_t>(kReadable)) return fmt::format("{}", value);
  return fmt::format("{:#x}", value);
}

}  // namespace jostle::report
