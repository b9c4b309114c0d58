// SPDX-License-Identifier: Apache-2.0
#include "src/report/symbols/stored_value.h"

#include <dwarf.h>

namespace jostle::report {
namespace {

constexpr size_t kDeepestStack = 16;  // compilers need two or three

std::optional<uint64_t> constant_of(const Dwarf_Op& operation) {
  if (operation.atom >= DW_OP_lit0 && operation.atom <= DW_OP_lit31) {
    return operation.atom - DW_OP_lit0;
  }
  switch (operation.atom) {
    case DW_OP_const1u:
    case DW_OP_const1s:
    case DW_OP_const2u:
    case DW_OP_const2s:
    case DW_OP_const4u:
    case DW_OP_const4s:
    case DW_OP_const8u:
    case DW_OP_const8s:
    case DW_OP_constu:
    case DW_OP_consts:
      return operation.number;
    default:
      return std::nullopt;
  }
}

// Of two numbers, the second on top of the stack. Numbers wrap around, as DWARF wants it.
std::optional<uint64_t> computed(uint8_t operation, uint64_t first, uint64_t second) {
  switch (operation) {
    case DW_OP_plus:
      return first + second;
    case DW_OP_minus:
      return first - second;
    case DW_OP_mul:
      return first * second;
    case DW_OP_and:
      return first & second;
    case DW_OP_or:
      return first | second;
    case DW_OP_xor:
      return first ^ second;
    case DW_OP_shl:
      return second < 64 ? first << second : 0;
    case DW_OP_shr:
      return second < 64 ? first >> second : 0;
    case DW_OP_eq:
      return first == second ? 1 : 0;
    case DW_OP_ne:
      return first != second ? 1 : 0;
    default:
      return std::nullopt;
  }
}

uint32_t fetched(const Dwarf_Op& operation) {
  if (operation.atom == DW_OP_deref) return sizeof(uintptr_t);
  const bool fits = operation.number == 1 || operation.number == 2 || operation.number == 4 ||
                    operation.number == 8;
  return operation.atom == DW_OP_deref_size && fits ? static_cast<uint32_t>(operation.number) : 0;
}

}  // namespace

StoredValue::StoredValue(std::span<const Dwarf_Op> after_address) {
  if (after_address.size() < 2 || after_address.back().atom != DW_OP_stack_value) return;
  size_ = fetched(after_address.front());
  operations_.assign(after_address.begin() + 1, after_address.end() - 1);
  if (size_ != 0 && !value(0)) size_ = 0;
}

std::optional<uint64_t> StoredValue::value(uint64_t stored) const {
  std::vector<uint64_t> stack{stored};
  for (const Dwarf_Op& operation : operations_) {
    if (const std::optional<uint64_t> constant = constant_of(operation)) {
      if (stack.size() == kDeepestStack) return std::nullopt;
      stack.push_back(*constant);
    } else if (operation.atom == DW_OP_plus_uconst) {
      stack.back() += operation.number;
    } else {
      if (stack.size() < 2) return std::nullopt;
      const uint64_t second = stack.back();
      stack.pop_back();
      const std::optional<uint64_t> result = computed(operation.atom, stack.back(), second);
      if (!result) return std::nullopt;
      stack.back() = *result;
    }
  }
  return stack.size() == 1 ? std::optional(stack.back()) : std::nullopt;
}

}  // namespace jostle::report
