#include "engine/space/order_trie.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

#include "tests/support/space_workloads.h"

namespace heliolite::order_trie_test {
namespace {

using namespace heliolite::testing;  // NOLINT(google-build-using-namespace)

struct Reference {
  const char* name;
  Workload workload;
  std::size_t kept;
};

// Kept orders by workload (thesis Table 4.2).
std::vector<Reference> references() {
  return {{"conv", conv(2, 4, 4, 8, 8, 3, 3), 8},
          {"mttkrp", mttkrp(), 7},
          {"ttmc", ttmc(), 10},
          {"sddmm", sddmm(), 3},
          {"tcl", tcl(), 36},
          {"mmc", mmc(), 8},
          {"gemm", gemm(8, 8, 8), 3},
          {"conv1d", conv1d(4, 8, 4, 3), 4},
          {"depthwise", depthwise(8, 8, 4, 3, 3, 2), 4}};
}

// The loops that decide the reuse, as text with the innermost loop last: the papers' way of writing it.
std::string inner_loops(const Workload& w, const LoopOrder& order) {
  std::string text;
  for (int i = order.gaining - 1; i >= 0; --i) text += w.dimensions[order.loop[i]].name;
  return text;
}

OrderSignature signature_of(const ReuseTable& table, const std::vector<int>& order) {
  OrderSignature out{};
  for (int v = 0; v < table.tensor_count; ++v) {
    for (int d : order) {
      const DimensionMask bit = static_cast<DimensionMask>(1u << d);
      if ((table.tensor[v].full & bit) != 0) {
        out[v].full = static_cast<DimensionMask>(out[v].full | bit);
        continue;
      }
      if ((table.tensor[v].partial & bit) != 0) out[v].partial = bit;
      break;
    }
  }
  return out;
}

// The maximal signatures over all orders of `loops`, straight from the definition.
std::set<OrderSignature> brute_force(const ReuseTable& table, DimensionMask loops) {
  std::vector<int> order;
  for (int d = 0; d < table.dimension_count; ++d)
    if ((loops >> d & 1) != 0) order.push_back(d);
  std::set<OrderSignature> all;
  do {
    all.insert(signature_of(table, order));
  } while (std::next_permutation(order.begin(), order.end()));
  std::set<OrderSignature> maximal;
  for (const OrderSignature& a : all) {
    bool covered = false;
    for (const OrderSignature& b : all) {
      bool covers = a != b;
      for (std::size_t v = 0; covers && v < a.size(); ++v) covers = b[v].covers(a[v]);
      covered |= covers;
    }
    if (!covered) maximal.insert(a);
  }
  return maximal;
}

std::set<OrderSignature> signatures(const OrderTrie& trie) {
  std::set<OrderSignature> out;
  for (const LoopOrder& o : trie.kept) out.insert(o.reuse);
  return out;
}

bool operator==(const LoopOrder& a, const LoopOrder& b) {
  return std::equal(a.loops().begin(), a.loops().end(), b.loops().begin(), b.loops().end()) && a.reuse == b.reuse;
}

void expect_same_kept(const OrderTrie& a, const OrderTrie& b) {
  ASSERT_EQ(a.kept.size(), b.kept.size());
  for (std::size_t i = 0; i < a.kept.size(); ++i) EXPECT_TRUE(a.kept[i] == b.kept[i]) << i;
}

// One random Einsum of 2..5 dimensions and 2..4 tensors; some ranks slide.
Workload random_workload(std::mt19937& rng) {
  const auto below = [&](int n) { return static_cast<int>(rng() % static_cast<unsigned>(n)); };
  Workload w;
  w.name = "random";
  const int dimensions = 2 + below(4);
  for (int d = 0; d < dimensions; ++d) w.dimensions.push_back({std::string(1, static_cast<char>('a' + d)), 4});
  const int tensors = 2 + below(3);
  for (int v = 0; v < tensors; ++v) {
    Tensor t;
    t.name = "t" + std::to_string(v);
    t.role = v == 0 ? Role::Output : Role::Input;
    std::vector<int> used;
    for (int d = 0; d < dimensions; ++d)
      if (below(2) == 0) used.push_back(d);
    while (!used.empty()) {
      Rank rank;
      do {
        rank.terms.push_back({used.back(), 1});
        used.pop_back();
      } while (!used.empty() && below(3) == 0);
      t.ranks.push_back(rank);
    }
    w.tensors.push_back(t);
  }
  return w;
}

TEST(Reuse, ConvolutionWithChannels) {
  const ReuseTable t = infer_reuse(conv1d(4, 14, 4, 3));  // dimensions K P C R
  EXPECT_EQ(t.tensor[0].full, 0b1100);                    // ofmap: C, R
  EXPECT_EQ(t.tensor[0].partial, 0);
  EXPECT_EQ(t.tensor[1].full, 0b0001);  // ifmap: K
  EXPECT_EQ(t.tensor[1].partial, 0b1010);
  EXPECT_EQ(t.tensor[2].full, 0b0010);  // weight: P
}

TEST(Reuse, UnitWindowDoesNotSlide) {
  const ReuseTable t = infer_reuse(conv1d(4, 14, 4, 1), UnitDimensions::Skip);
  EXPECT_EQ(t.dimensions, 0b0111);
  EXPECT_EQ(t.tensor[1].partial, 0);
  EXPECT_EQ(t.tensor[1].none, 0b0110);
}

TEST(OrderTrie, ReferenceCounts) {
  for (const Reference& r : references())
    EXPECT_EQ(build_order_trie(infer_reuse(r.workload)).kept.size(), r.kept) << r.name;
}

TEST(OrderTrie, ConvolutionOrdersOfTheThesis) {
  const Workload w = conv(2, 4, 4, 8, 8, 3, 3);
  std::multiset<std::string> found;
  for (const LoopOrder& o : build_order_trie(infer_reuse(w)).kept) found.insert(inner_loops(w, o));
  EXPECT_EQ(found, (std::multiset<std::string>{"PK", "QK", "RK", "SK", "QNP", "PNQ", "SCR", "RCS"}));
}

TEST(OrderTrie, CountDoesNotDependOnTheDeclaration) {
  std::mt19937 rng(7);
  for (const Reference& r : references()) {
    std::vector<int> order(r.workload.dimensions.size());
    std::iota(order.begin(), order.end(), 0);
    for (int i = 0; i < 40; ++i) {
      std::shuffle(order.begin(), order.end(), rng);
      Workload w = permute_dimensions(r.workload, order);
      std::shuffle(w.tensors.begin(), w.tensors.end(), rng);
      EXPECT_EQ(build_order_trie(infer_reuse(w)).kept.size(), r.kept) << r.name;
    }
  }
}

TEST(OrderTrie, KeptOrdersAreCompleteAndHaveTheirReuse) {
  for (const Reference& r : references()) {
    const ReuseTable table = infer_reuse(r.workload);
    for (const LoopOrder& o : build_order_trie(table).kept) {
      std::vector<int> loops(o.loops().begin(), o.loops().end());
      EXPECT_EQ(signature_of(table, loops), o.reuse) << r.name;
      EXPECT_TRUE(std::is_sorted(loops.begin() + o.gaining, loops.end())) << r.name;
      std::sort(loops.begin(), loops.end());
      EXPECT_EQ(loops.size(), r.workload.dimensions.size());
      EXPECT_EQ(std::unique(loops.begin(), loops.end()), loops.end());
    }
  }
}

TEST(OrderTrie, SwitchingAnExactRuleOffKeepsTheSameOrders) {
  for (const Reference& r : references()) {
    const ReuseTable table = infer_reuse(r.workload);
    const OrderTrie one = build_order_trie(table);
    expect_same_kept(one, build_order_trie(table, OrderOptions{}.without(OrderRule::Run)));
    expect_same_kept(one, build_order_trie(table, OrderOptions{}.without(OrderRule::Prefix)));
    expect_same_kept(one, build_order_trie(table, OrderOptions{}.without(OrderRule::Prefix).without(OrderRule::Run)));
    const OrderTrie all = build_order_trie(table, OrderOptions{}.without(OrderRule::Dominance));
    EXPECT_EQ(all.kept.size(), one.kept.size() + one.cuts[static_cast<std::size_t>(OrderRule::Dominance)]);
  }
}

TEST(OrderTrie, WithoutRulesEveryOrder) {
  const OrderOptions none =
      OrderOptions{}.without(OrderRule::Prefix).without(OrderRule::Run).without(OrderRule::Dominance);
  const OrderTrie trie = build_order_trie(infer_reuse(conv(2, 4, 4, 8, 8, 3, 3)), none);
  EXPECT_EQ(trie.kept.size(), 5040u);
  std::set<std::vector<u8>> distinct;
  for (const LoopOrder& o : trie.kept) distinct.insert({o.loops().begin(), o.loops().end()});
  EXPECT_EQ(distinct.size(), 5040u);
  EXPECT_EQ(trie.cuts, (std::array<u64, kOrderRules>{}));
}

TEST(OrderTrie, UnitDimensionsAreLeftOut) {
  const Workload pointwise = conv(1, 64, 64, 56, 56, 1, 1);
  const OrderTrie trie = build_order_trie(infer_reuse(pointwise, UnitDimensions::Skip));
  EXPECT_EQ(trie.loop_count, 4);
  EXPECT_EQ(trie.kept.size(), 3u);  // as for a GEMM: no window slides
  for (const LoopOrder& o : trie.kept) EXPECT_EQ(o.count, 4);
}

TEST(OrderTrie, FixedInnermostLoops) {
  const Workload w = conv(2, 4, 4, 8, 8, 3, 3);
  OrderOptions options;
  options.innermost = {5, 6, 0};  // R, S, N
  const OrderTrie trie = build_order_trie(infer_reuse(w), options);
  ASSERT_EQ(trie.kept.size(), 1u);  // N ends every tensor's run
  EXPECT_EQ(std::vector<u8>(trie.kept[0].loops().begin(), trie.kept[0].loops().begin() + 3), options.innermost);
  EXPECT_EQ(trie.kept[0].gaining, 2);

  options.innermost = {5};
  options.loops = 0b0111101;  // N C P Q R: what is not in a level's nest is not ordered
  for (const LoopOrder& o : build_order_trie(infer_reuse(w), options).kept) {
    EXPECT_EQ(o.loop[0], 5);
    EXPECT_EQ(o.count, 5);
  }
}

TEST(OrderTrie, NodesTellWhyTheyWereCut) {
  OrderOptions options;
  options.keep_nodes = true;
  const Workload w = conv(2, 4, 4, 8, 8, 3, 3);
  const OrderTrie trie = build_order_trie(infer_reuse(w), options);
  std::array<u64, 5> fates{};
  for (std::size_t i = 0; i < trie.nodes.size(); ++i) {
    const OrderNode& n = trie.nodes[i];
    ++fates[static_cast<std::size_t>(n.fate)];
    EXPECT_LT(n.parent, static_cast<int>(i));
    if (n.fate == OrderFate::Dominated) {
      const OrderNode& by = trie.nodes[n.by];
      EXPECT_EQ(by.fate, OrderFate::Kept);
      for (std::size_t v = 0; v < n.reuse.size(); ++v) EXPECT_TRUE(by.reuse[v].covers(n.reuse[v]));
    }
    if (n.fate == OrderFate::NotNext) {
      EXPECT_EQ(trie.nodes[n.by].parent, n.parent);
    }
  }
  EXPECT_EQ(fates[static_cast<std::size_t>(OrderFate::Kept)], 8u);
  EXPECT_EQ(fates[static_cast<std::size_t>(OrderFate::NoGain)], trie.cuts[0]);
  EXPECT_EQ(fates[static_cast<std::size_t>(OrderFate::NotNext)], trie.cuts[1]);
  EXPECT_EQ(fates[static_cast<std::size_t>(OrderFate::Dominated)], trie.cuts[2]);
}

TEST(OrderTrie, TwelveLoopsAndEightTensorsAreNoProblem) {
  // A reduction over eleven loops, and the outer product of seven vectors (7! incomparable orders).
  std::vector<Dimension> twelve;
  std::string all;
  for (char c = 'a'; c < 'm'; ++c) {
    twelve.push_back({std::string(1, c), 4});
    all += (all.empty() ? "" : ",") + std::string(1, c);
  }
  EXPECT_EQ(build_order_trie(infer_reuse(make_workload("sum", twelve, {{"o", "a"}, {"i", all}}))).kept.size(), 1u);
  std::vector<Dimension> seven(twelve.begin(), twelve.begin() + 7);
  const Workload outer = make_workload("outer", seven,
                                       {{"o", "a,b,c,d,e,f,g"},
                                        {"ta", "a"},
                                        {"tb", "b"},
                                        {"tc", "c"},
                                        {"td", "d"},
                                        {"te", "e"},
                                        {"tf", "f"},
                                        {"tg", "g"}});
  EXPECT_EQ(build_order_trie(infer_reuse(outer)).kept.size(), 5040u);
  // Without rules it says that it gave up instead of eating the machine.
  const OrderOptions none =
      OrderOptions{}.without(OrderRule::Prefix).without(OrderRule::Run).without(OrderRule::Dominance);
  EXPECT_FALSE(build_order_trie(infer_reuse(make_workload("sum", twelve, {{"o", "a"}, {"i", all}})), none).complete);
}

RC_GTEST_PROP(OrderTrieProperty, SameMaximalSignaturesAsAllOrders, ()) {
  std::mt19937 rng(*rc::gen::arbitrary<u32>());
  const Workload w = random_workload(rng);
  const ReuseTable table = infer_reuse(w);
  const DimensionMask loops = static_cast<DimensionMask>(table.dimensions & (*rc::gen::arbitrary<u16>() | 3));
  OrderOptions options;
  options.loops = loops;
  const auto expected = brute_force(table, loops);
  for (int off = -1; off < 2; ++off) {
    const OrderTrie trie = build_order_trie(table, off < 0 ? options : options.without(static_cast<OrderRule>(off)));
    RC_ASSERT(trie.kept.size() == expected.size());
    RC_ASSERT(signatures(trie) == expected);
  }
}

TEST(OrderTrie, ReferenceWorkloadsAgreeWithAllOrders) {
  for (const Reference& r : references()) {
    const ReuseTable table = infer_reuse(r.workload);
    EXPECT_EQ(signatures(build_order_trie(table)), brute_force(table, table.dimensions)) << r.name;
  }
}

}  // namespace
}  // namespace heliolite::order_trie_test
