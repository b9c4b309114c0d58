// SPDX-License-Identifier: Apache-2.0
// std::list, std::map, std::set and their kind. What a program does to the elements is compiled
// with it, but what links them is in libstdc++.so: who hooks a node into a list, takes it out or
// moves it, follows the order of a tree, or brings a tree back into balance, is called here.
#include "src/base/kept.h"
#include "src/runtime/interpose/buffers/library_call.h"
#include "src/runtime/memory/sharing.h"

using namespace jostle::rt;

namespace {

// Each link is followed and changed at its own turn, as in the program's own code: that threads
// which work on one container at the same time make of it what they may.
class LinkCall {
 public:
  explicit LinkCall(uintptr_t pc) : pc_(pc), seen_(LibraryCall(pc).seen()) {}

  bool seen() const { return seen_; }

  template <typename Link>
  Link follow(const Link* from) const {
    places_.next();
    library_access<false>(from, sizeof *from, pc_);
    return *from;
  }
  template <typename Link>
  void point(Link* from, Link to) const {
    places_.next();
    library_access<true>(from, sizeof *from, pc_);
    *from = to;
  }
  uintptr_t pc() const { return pc_; }

 private:
  LibraryPlaces places_;
  uintptr_t pc_;
  bool seen_;
};

// ---- lists --------------------------------------------------------------------------------------

struct ListLinks {
  ListLinks *next, *previous;
};

void hook_in(const LinkCall& call, ListLinks* node, ListLinks* before) {
  call.point(&node->next, before);
  ListLinks* previous = call.follow(&before->previous);
  call.point(&node->previous, previous);
  call.point(&previous->next, node);
  call.point(&before->previous, node);
}
void take_out(const LinkCall& call, ListLinks* node) {
  ListLinks* next = call.follow(&node->next);
  ListLinks* previous = call.follow(&node->previous);
  call.point(&previous->next, next);
  call.point(&next->previous, previous);
}
void move_range(const LinkCall& call, ListLinks* before, ListLinks* first, ListLinks* end) {
  ListLinks* last = call.follow(&end->previous);
  ListLinks* gap = call.follow(&first->previous);
  call.point(&gap->next, end);
  call.point(&end->previous, gap);
  ListLinks* previous = call.follow(&before->previous);
  call.point(&previous->next, first);
  call.point(&first->previous, previous);
  call.point(&last->next, before);
  call.point(&before->previous, last);
}
void reverse(const LinkCall& call, ListLinks* list) {
  ListLinks* node = list;
  do {
    ListLinks* next = call.follow(&node->next);
    call.point(&node->next, call.follow(&node->previous));
    call.point(&node->previous, next);
    node = next;
  } while (node != list);
}
// The ends of a list point to a head that has another place now.
void adopt(const LinkCall& call, ListLinks* head, ListLinks links, const ListLinks* old_head) {
  const bool is_empty = links.next == old_head;
  call.point(&head->next, is_empty ? head : links.next);
  call.point(&head->previous, is_empty ? head : links.previous);
  if (is_empty) return;
  call.point(&links.next->previous, head);
  call.point(&links.previous->next, head);
}
void swap_lists(const LinkCall& call, ListLinks* a, ListLinks* b) {
  const ListLinks of_a = {call.follow(&a->next), call.follow(&a->previous)};
  const ListLinks of_b = {call.follow(&b->next), call.follow(&b->previous)};
  adopt(call, a, of_b, b);
  adopt(call, b, of_a, a);
}

// ---- trees --------------------------------------------------------------------------------------

struct TreeLinks {
  int colour;
  TreeLinks *parent, *left, *right;
};
using TreeSide = TreeLinks* TreeLinks::*;
constexpr int kRed = 0;

// To the outermost node of what is below on that side, if there is any.
TreeLinks* below(const LinkCall& call, TreeLinks* node, TreeSide there, TreeSide back) {
  TreeLinks* found = call.follow(&(node->*there));
  if (!found) return nullptr;
  while (TreeLinks* next = call.follow(&(found->*back))) found = next;
  return found;
}

TreeLinks* next_in_tree(const LinkCall& call, TreeLinks* node) {
  if (TreeLinks* found = below(call, node, &TreeLinks::right, &TreeLinks::left)) return found;
  TreeLinks* above = call.follow(&node->parent);
  const TreeLinks* right = nullptr;  // of the node
  while (node == call.follow(&above->right)) {
    right = node;
    node = above;
    above = call.follow(&above->parent);
  }
  // From a root that is the last node it went to the head already, and back to the root.
  return right == above ? node : above;
}

// Behind the last node is the head of the tree, which looks like a root above the root.
TreeLinks* previous_in_tree(const LinkCall& call, TreeLinks* node) {
  if (call.follow(&node->colour) == kRed) {
    TreeLinks* parent = call.follow(&node->parent);
    if (call.follow(&parent->parent) == node) return call.follow(&node->right);
  }
  if (TreeLinks* found = below(call, node, &TreeLinks::left, &TreeLinks::right)) return found;
  TreeLinks* above = call.follow(&node->parent);
  while (node == call.follow(&above->left)) {
    node = above;
    above = call.follow(&above->parent);
  }
  return above;
}

constexpr size_t kMostSaved = 2048;
struct SavedLinks {
  TreeLinks* node;
  TreeLinks links;
};
// Not on the stack of the program, which may be small. Nobody else runs while it is used.
JOSTLE_KEPT SavedLinks g_saved_links[kMostSaved];

bool is_red(const TreeLinks* node) { return node && node->colour == kRed; }

// What a change of the tree will write is found by making it and taking it back. Before that, all
// that it may write is saved: it ends where the balance is right, mostly near the leaf.
class TreeChange {
 public:
  explicit TreeChange(TreeLinks* head) : head_(head) { save(head, 0); }

  // A red node has come below `parent`: recoloured are two levels at a time, as long as that makes
  // a red node below a red one; in the end, two of three levels are turned.
  void save_insertion(TreeLinks* parent) {
    for (TreeLinks* node = parent; node != head_ && can_be_tried();) {
      save(node, 1);
      if (!is_red(node)) return;
      node = node->parent;
      if (node == head_) return;
      save(node, 2);
      node = node->parent;
    }
  }

  // A node goes, or the next one in its place. If that was black a black one is missing on the
  // way: below each node as long as neither it nor anything close on the other side is red.
  void save_removal(TreeLinks* node) {
    save(node, 1);
    TreeLinks* gone = node;
    if (node->left && node->right) {
      for (gone = node->right; gone->left;) gone = gone->left;
      save(gone, 1);
    }
    save(node->parent, 0);
    save(gone->parent, 0);
    TreeLinks* const child = gone->left ? gone->left : gone->right;
    if (is_red(gone) || is_red(child)) return;
    const TreeLinks* below = gone;
    for (TreeLinks* above = gone->parent; above != head_ && can_be_tried(); above = above->parent) {
      TreeLinks* const other = above->left == below ? above->right : above->left;
      save(above, 0);
      save(other, 3);
      save(above->parent, 0);
      if (is_red(above) || is_red(other)) return;
      if (other && (is_red(other->left) || is_red(other->right))) return;
      below = above;
    }
  }

  void save(TreeLinks* node, int levels_below) {
    if (!node || count_ == kMostSaved) return;
    g_saved_links[count_++] = {node, *node};
    if (levels_below == 0) return;
    save(node->left, levels_below - 1);
    save(node->right, levels_below - 1);
  }
  // False: there are too many of them. Then it is one change of the head.
  bool can_be_tried() const { return count_ < kMostSaved; }

  // Behind the change. False: it cannot be made link by link.
  bool take_back() {
    for (size_t i = 0; i < count_; ++i) {
      TreeLinks& now = *g_saved_links[i].node;
      const TreeLinks& before = g_saved_links[i].links;
      if (now.colour != before.colour) add(&now.colour, now.colour);
      if (now.parent != before.parent) add(&now.parent, now.parent);
      if (now.left != before.left) add(&now.left, now.left);
      if (now.right != before.right) add(&now.right, now.right);
    }
    for (size_t i = count_; i-- > 0;) *g_saved_links[i].node = g_saved_links[i].links;
    return change_count_ <= kMostChanges;
  }

  // Each link at its turn.
  void make(uintptr_t pc) const {
    for (size_t i = 0; i < change_count_; ++i) {
      const Change& change = changes_[i];
      library_access<true>(change.begin, change.size, pc);
      memcpy(change.begin, &change.value, change.size);
    }
  }

 private:
  static constexpr size_t kMostChanges = 96;

  struct Change {
    void* begin;
    uint32_t size;
    uint64_t value;
  };

  template <typename Value>
  void add(Value* begin, Value value) {
    for (size_t i = 0; i < change_count_ && i < kMostChanges; ++i) {
      if (changes_[i].begin == begin) return;
    }
    if (change_count_ < kMostChanges) {
      changes_[change_count_] = {begin, sizeof value, 0};
      memcpy(&changes_[change_count_].value, &value, sizeof value);
    }
    ++change_count_;
  }

  Change changes_[kMostChanges];
  TreeLinks* head_;
  size_t count_ = 0, change_count_ = 0;
};

}  // namespace

#define LIST_HOOK(name, parameters, ours, arguments) \
  JOSTLE_NAMED_HOOK(void, name, parameters) {        \
    const LinkCall call(CALLER());                   \
    if (call.seen()) return ours;                    \
    NEXT(name) arguments;                            \
  }
LIST_HOOK(_ZNSt8__detail15_List_node_base7_M_hookEPS0_, (ListLinks * node, ListLinks* before),
          hook_in(call, node, before), (node, before))
LIST_HOOK(_ZNSt8__detail15_List_node_base9_M_unhookEv, (ListLinks * node), take_out(call, node),
          (node))
LIST_HOOK(_ZNSt8__detail15_List_node_base10_M_reverseEv, (ListLinks * list), reverse(call, list),
          (list))
LIST_HOOK(_ZNSt8__detail15_List_node_base4swapERS0_S1_, (ListLinks * a, ListLinks* b),
          swap_lists(call, a, b), (a, b))
LIST_HOOK(_ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_,
          (ListLinks * before, ListLinks* first, ListLinks* end),
          before == end ? void() : move_range(call, before, first, end), (before, first, end))

#define TREE_STEP(name, ours)                                 \
  JOSTLE_NAMED_HOOK(TreeLinks*, name, (TreeLinks * node)) {   \
    const LinkCall call(CALLER());                            \
    return call.seen() ? ours(call, node) : NEXT(name)(node); \
  }
TREE_STEP(_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base, next_in_tree)
TREE_STEP(_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base, next_in_tree)
TREE_STEP(_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base, previous_in_tree)
TREE_STEP(_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base, previous_in_tree)

JOSTLE_NAMED_HOOK(void, _ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_,
                  (bool left, TreeLinks* node, TreeLinks* parent, TreeLinks* head)) {
  const auto insert = NEXT(_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_);
  const LinkCall call(CALLER());
  if (call.seen() && several_threads()) {
    TreeChange change(head);
    change.save(node, 0);
    change.save_insertion(parent);
    if (change.can_be_tried()) {
      insert(left, node, parent, head);
      if (change.take_back()) return change.make(call.pc());
    }
    library_access<true>(head, sizeof *head, call.pc());
  }
  insert(left, node, parent, head);
}
JOSTLE_NAMED_HOOK(TreeLinks*, _ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_,
                  (TreeLinks * node, TreeLinks* head)) {
  const auto erase = NEXT(_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_);
  const LinkCall call(CALLER());
  if (call.seen() && several_threads()) {
    TreeChange change(head);
    change.save_removal(node);
    if (change.can_be_tried()) {
      TreeLinks* const gone = erase(node, head);
      if (change.take_back()) {
        change.make(call.pc());
        return gone;
      }
    }
    library_access<true>(head, sizeof *head, call.pc());
  }
  return erase(node, head);
}
