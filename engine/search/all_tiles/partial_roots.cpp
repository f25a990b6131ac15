// Where a search over partial mappings begins: all mappings of a keep choice together, or divided by what their
// fan-outs make (docs/rules/any_factors.md, Unrollings).
#include "engine/search/all_tiles/partial_roots.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "engine/search/all_tiles/keep_spaces.h"
#include "engine/search/all_tiles/partial_search.h"

namespace heliolite {
namespace {

using Numbers = std::vector<u32>;

DimensionMask image_of(DimensionMask dimensions, const Symmetry& symmetry) {
  DimensionMask out = 0;
  for (const int d : bits(dimensions)) out |= dimension_bit(symmetry.image(d));
  return out;
}

// [class]: the one that takes its place.
std::vector<std::size_t> image_of_classes(std::span<const DimensionMask> classes, const Symmetry& symmetry) {
  std::vector<std::size_t> out;
  for (const DimensionMask of_class : classes)
    out.push_back(at(std::ranges::find(classes, image_of(of_class, symmetry)) - classes.begin()));
  return out;
}

// What tells an unrolling from others, with each class and dimension's own, or that of what takes its place.
Numbers numbers(const ClassUnrolling& u, std::span<const std::size_t> image_of_class, auto&& image_of_dimension) {
  Numbers out;
  u32 free = 0;
  for (std::size_t k = 0; k < image_of_class.size(); ++k)
    if (contains(u.free, image_of_class[k])) free |= 1u << k;
  out.push_back(free);
  for (std::size_t i = 0; i < u.units.size(); i += image_of_class.size())
    for (const std::size_t k : image_of_class) out.push_back(u.units[i + k]);
  for (const auto& along : u.along)
    for (int d = 0; d < kMaxDimensions; ++d) out.push_back(along[at(image_of_dimension(d))]);
  return out;
}

}  // namespace

std::vector<Mirrored> mirrored(std::span<const ClassUnrolling> unrollings, std::span<const DimensionMask> classes,
                               const Symmetry& symmetry) {
  std::vector<Mirrored> out(unrollings.size(), Mirrored::Itself);
  std::vector<std::size_t> itself(classes.size());
  std::iota(itself.begin(), itself.end(), std::size_t{0});
  const std::vector<std::size_t> image = image_of_classes(classes, symmetry);
  const bool known = std::ranges::all_of(image, [&](std::size_t k) { return k < classes.size(); });
  const bool divided = std::ranges::any_of(unrollings, [](const ClassUnrolling& u) { return !u.along.empty(); });
  if (!known || (image == itself && !divided)) return out;
  std::map<Numbers, std::size_t> place;
  for (std::size_t k = 0; k < unrollings.size(); ++k)
    place.emplace(numbers(unrollings[k], itself, [](int d) { return d; }), k);
  for (const auto& [own, k] : place) {
    const Numbers of_image = numbers(unrollings[k], image, [&](int d) { return symmetry.image(d); });
    if (of_image == own || !place.contains(of_image)) continue;
    out[k] = own < of_image ? Mirrored::StandsFor : Mirrored::LeftOut;
  }
  return out;
}

namespace {

constexpr std::size_t kMostUnrollings = 100'000;               // that mappings are divided by
constexpr std::size_t kMostSplits = 250;                       // of each of them
constexpr u32 kRootsBetweenLooks = 64;                         // at the clock
constexpr std::array<std::size_t, 2> kRootPoints{800, 5'000};  // of the tables of each, one after the other

}  // namespace

// One node for each keep choice.
void PartialSearch::begin() {
  rebuild(kNone);
  for (u32 k = 0; k < keeps_.choices(); ++k) child({{}, 0, kNone, 0, kNone, kNone, static_cast<u8>(k), 0, kX, 0});
}

// Of two that change into each other where dimensions change places (rule symmetry) one stands for both: all of its
// mappings are looked at.
void PartialSearch::leave_images_out(std::vector<ClassUnrolling>& unrollings) {
  if (!symmetry_) return;
  const std::vector<Mirrored> all = mirrored(unrollings, tensor_classes(c_), *symmetry_);
  std::size_t left = 0;
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (gate_.prunes(Rule::Symmetry, [&] { return all[k] == Mirrored::LeftOut; })) continue;
    if (left != k) unrollings[left] = std::move(unrollings[k]);
    unrollings[left++].stands_for_image |= all[k] == Mirrored::StandsFor;
  }
  unrollings.resize(left);
}

// Divides the mappings of an unrolling by the units along each of these dimensions, unless there are too many ways.
bool PartialSearch::split(u32 index, DimensionMask dimensions) {
  const Node root = node_[index];
  std::optional<std::vector<ClassUnrolling>> parts =
      splits(c_, problem_.space, unrolling_[root.unrolling], dimensions, kMostSplits);
  if (!parts) return false;
  if (!stands_for_image(root)) leave_images_out(*parts);
  rebuild(index);
  for (const ClassUnrolling& part : *parts) {
    Node first = root;
    first.parent = index;
    first.unrolling = static_cast<u32>(unrolling_.size());
    first.root = kNone;
    unrolling_.push_back(part);
    gate_.prunes(Rule::UnrollingBound, [&] { return !child(first); });
  }
  return true;
}

// When the turn of an unrolling comes: it is divided by the units along each dimension of sliding ranks, then gets
// tables of its own, then is divided by the units along dimensions that were free. Returns whether its turn is over.
bool PartialSearch::divide_further(u32 index) {
  const Node& node = node_[index];
  const bool is_root = node.level == 0 && node.stage == kX && node.end == 0;
  if (!is_root || node.unrolling == kNone) return false;
  ClassUnrolling& unrolling = unrolling_[node.unrolling];
  unrolling.most_steps = std::min(unrolling.most_steps, incumbent_.most_cycles(node.least.energy));
  if ((split_ & ~unrolling.split) != 0 && split(index, split_)) return true;
  while (root_[node.root].tables < kRootPoints.size())
    if (tabulate(index)) return true;
  DimensionMask free = 0;
  const std::vector<DimensionMask>& classes = space(node).costs.classes();
  for (std::size_t k = 0; k < classes.size(); ++k)
    if (contains(unrolling.free, k)) free = static_cast<DimensionMask>(free | classes[k]);
  return free != 0 && split(index, free);
}

// Tables of an unrolling's own. Returns whether they raise its bound.
bool PartialSearch::tabulate(u32 index) {
  Node& node = node_[index];
  const std::size_t turn = root_[node.root].tables++;
  const BoundaryTable& boundaries = boundaries_of(turn, node.keep);
  KeepSpace& keep = space(node);
  const OnceCost& once = root_[node.root].once;
  const auto can_improve = [&](int level, const Rest& outside) {
    return !cut(Rule::UnrollingBound, with_outside(once, level, outside));
  };
  const KnownBefore known{boundaries, can_improve};
  if (root_[node.root].table) bytes_of_tables_ -= root_[node.root].table->bytes();
  root_[node.root].table = std::make_shared<RestTable>(keep.partial, keep.costs, root_ranges_[turn], limits_, &known);
  bytes_of_tables_ += root_[node.root].table->bytes();
  rebuild(index);
  const Reach reach = this->reach(node);
  const RestOutside rest = this->rest(node, reach);
  const auto forget = [&] {  // no mapping with the unrolling can beat the incumbent
    bytes_of_tables_ -= root_[node.root].table->bytes();
    root_[node.root].table.reset();
    return true;
  };
  if (rest.all.energy == Rest::kNone) return forget();
  raise(node.least, keep.partial(trail_, reach, rest.all));
  if (problem_.options.rules[Rule::PassingBound] && keep.costs.passes(0))
    raise(node.least, keep.partial.with_twins(trail_, reach, rest.with_twins));
  const double bound = objective_number(problem_.options.objective, node.least) * kBoundRounded;
  if (bound <= node.bound) return false;
  node.bound = bound;
  if (cut(Rule::UnrollingBound, node.least)) return forget();
  fresh_.push_back(index);
  return true;
}

// Of all unrollings with a keep choice.
const BoundaryTable& PartialSearch::boundaries_of(std::size_t turn, u32 keep) {
  if (root_ranges_.empty())
    for (const std::size_t points : kRootPoints) root_ranges_.emplace_back(c_, points);
  boundaries_.resize(kRootPoints.size() * keeps_.choices());
  std::unique_ptr<BoundaryTable>& out = boundaries_[turn * keeps_.choices() + keep];
  if (!out) {
    KeepSpace& space = keeps_[keep];
    space.costs.unroll(nullptr);
    out = std::make_unique<BoundaryTable>(space.partial, space.costs, root_ranges_[turn], limits_);
    bytes_of_tables_ += out->bytes();
  }
  return *out;
}

// What is known of a node's keep choice, and of its unrolling if it has one.
KeepSpace& PartialSearch::space(const Node& node) {
  KeepSpace& out = keeps_[node.keep];
  out.costs.unroll(node.unrolling == kNone ? nullptr : &unrolling_[node.unrolling]);
  return out;
}

u64 PartialSearch::bytes_of_unrollings() const {
  const u64 of_level = tensor_classes(c_).size() * sizeof(u32) + sizeof(unrolling_[0].along[0]);
  return unrolling_.size() *
             (sizeof(ClassUnrolling) + at(c_.level_count) * of_level + 2 * tensor_classes(c_).size() * sizeof(u64)) +
         root_.capacity() * sizeof(Root) + bytes_of_tables_;
}

bool PartialSearch::divide(const SearchBudget& budget) {
  if (!problem_.options.rules[Rule::UnrollingBound]) return false;
  begin();
  const Growing<Node> all = std::exchange(node_, {});
  std::vector<Node> roots;
  for (std::size_t k = 0; k < all.size(); ++k) roots.push_back(all[k]);
  fresh_.clear();
  u64 asked = 0;
  bool over = false;
  const auto can_improve_with = [&](u64 steps) {
    if (++asked % kRootsBetweenLooks == 0) over |= budget.over();
    return !over && std::ranges::any_of(roots, [&](const Node& root) {
      return !incumbent_.cuts(Cost{root.least.energy, std::max(root.least.cycles, steps)});
    });
  };
  for (const DimensionMask of_class : tensor_classes(c_))
    for (int v = 0; v < c_.tensor_count; ++v)
      if (c_.tensor[at(v)].sliding && !c_.tensor[at(v)].entangled && (of_class & c_.tensor[at(v)].sharing_any) != 0)
        split_ |= of_class;
  unrolling_ = unrollings(c_, problem_.space, kMostUnrollings, can_improve_with);
  leave_images_out(unrolling_);
  begun_ = !unrolling_.empty() && !over;
  for (const Node& root : roots)
    for (u32 u = 0; u < unrolling_.size() && begun_; ++u) {
      Node first = root;
      first.unrolling = u;
      gate_.prunes(Rule::UnrollingBound, [&] { return !child(first); });
      if (u % kRootsBetweenLooks == 0 && (budget.over() || !budget.allows(evaluated_))) begun_ = false;
    }
  if (begun_) {
    into_heap();
    return true;
  }
  node_ = {}, fresh_.clear();
  return false;
}

}  // namespace heliolite
