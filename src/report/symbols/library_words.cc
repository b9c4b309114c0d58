// SPDX-License-Identifier: Apache-2.0
#include "src/report/symbols/library_words.h"

namespace jostle::report {
namespace {

struct LibraryWord {
  std::string_view owner, member;
  std::string_view inner;  // empty: whatever is inside
  std::string_view word;
};

constexpr LibraryWord kWords[] = {
    {"_Vector_impl_data", "_M_start", "", "begin"},
    {"_Vector_impl_data", "_M_finish", "", "end"},
    {"_Vector_impl_data", "_M_end_of_storage", "", "end_of_storage"},
    {"_Bvector_impl_data", "_M_start", "", "begin"},
    {"_Bvector_impl_data", "_M_finish", "", "end"},
    {"_Bvector_impl_data", "_M_end_of_storage", "", "end_of_storage"},
    {"_Deque_impl_data", "_M_start", "", "begin"},
    {"_Deque_impl_data", "_M_finish", "", "end"},
    {"_Deque_impl_data", "_M_map", "", "blocks"},
    {"_Deque_impl_data", "_M_map_size", "", "block_count"},
    {"_Alloc_hider", "_M_p", "", "data"},
    {"basic_string", "_M_string_length", "", "size"},
    {"basic_string", "_M_allocated_capacity", "", "capacity"},
    {"_Hashtable", "_M_before_begin", "", "begin"},
    {"_Hashtable", "_M_element_count", "", "size"},
    {"_Hashtable", "_M_bucket_count", "", "bucket_count"},
    {"_Hashtable", "_M_buckets", "", "buckets"},
    {"_Hashtable", "_M_single_bucket", "", "buckets"},
    {"_Rb_tree_header", "_M_node_count", "", "size"},
    {"_Rb_tree_header", "_M_header", ".parent", "root"},
    {"_Rb_tree_header", "_M_header", ".left", "begin"},
    {"_Rb_tree_header", "_M_header", ".right", "rbegin"},
    {"_Rb_tree_header", "_M_header", ".color", "color"},
    {"_Rb_tree_header", "_M_header", "", "end"},
    {"_Rb_tree_node_base", "_M_color", "", "color"},
    {"_Rb_tree_node_base", "_M_parent", "", "parent"},
    {"_Rb_tree_node_base", "_M_left", "", "left"},
    {"_Rb_tree_node_base", "_M_right", "", "right"},
    {"_Hash_node_base", "_M_nxt", "", "next"},
    {"_Hash_node_code_cache", "_M_hash_code", "", "hash"},
    {"_List_node_base", "_M_next", "", "next"},
    {"_List_node_base", "_M_prev", "", "prev"},
    {"_Fwd_list_node_base", "_M_next", "", "next"},
    {"_List_node_header", "_M_size", "", "size"},
    {"_List_impl", "_M_node", ".next", "begin"},
    {"_List_impl", "_M_node", ".prev", "rbegin"},
    {"_List_impl", "_M_node", ".size", "size"},
    {"_List_impl", "_M_node", "", "end"},
    {"_Fwd_list_impl", "_M_head", "", "begin"},
    {"__shared_count", "_M_pi", "", "control_block"},
    {"_Sp_counted_base", "_M_use_count", "", "use_count"},
    {"_Sp_counted_base", "_M_weak_count", "", "weak_count"},
    {"_Optional_payload_base", "_M_engaged", "", "has_value"},
    {"_Variant_storage", "_M_index", "", "index"},
    {"_Function_base", "_M_manager", "", "target"},
    {"_Function_base", "_M_functor", "", "target"},
    {"function", "_M_invoker", "", "target"},
    // Nothing but what they hold.
    {"__atomic_base", "_M_p", "", ""},
    {"__atomic_float", "_M_fp", "", ""},
    {"_Optional_base", "_M_payload", "", ""},
    {"_Optional_payload_base", "_M_payload", "", ""},
    {"_Storage", "_M_value", "", ""},
    {"_Deque_iterator", "_M_cur", "", ""},
    {"_Deque_iterator", "_M_first", "", ""},
    {"_Deque_iterator", "_M_last", "", ""},
    {"_Deque_iterator", "_M_node", "", ""},
};

}  // namespace

std::optional<std::string_view> library_word(std::string_view owner, std::string_view member,
                                             std::string_view inner) {
  for (const LibraryWord& entry : kWords) {
    if (entry.owner != owner || entry.member != member) continue;
    if (entry.inner.empty() || entry.inner == inner) return entry.word;
  }
  return std::nullopt;
}

}  // namespace jostle::report
