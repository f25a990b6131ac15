#include "engine/search/exact/rest_bounds.h"

#include <algorithm>
#include <array>
#include <bit>

#include "engine/model/compiled.h"
#include "engine/model/temporal_traffic.h"
#include "engine/search/certify/incumbent.h"

namespace heliolite {
namespace {

// The terms of one rank.
using Terms = std::span<const CompiledTerm>;

// Words along the rank, times the iterations that move along it: the least of all tiles of a box. It is a quotient of
// linear functions of the tile along each dimension alone, so the least is at a corner.
double least_along(const Compiled& c, Terms terms, const Extents& first, const Extents& last) {
  double least = 0;
  for (unsigned corner = 0; corner < 1u << terms.size(); ++corner) {
    double extent = 1, iterations = 1;
    for (std::size_t k = 0; k < terms.size(); ++k) {
      const std::size_t d = terms[k].dimension;
      const u32 size = contains(corner, k) ? first[d] : last[d];
      extent += static_cast<double>(terms[k].coefficient) * (size - 1.0);
      const u32 outside = c.size[d] / size;
      iterations *= outside;
    }
    if (corner == 0 || extent * iterations < least) least = extent * iterations;
  }
  return least;
}

// Different positions along the rank that all MACs together ask for, at least: those of some two of its terms.
double positions(const Compiled& c, Terms terms) {
  u64 most = 1;
  for (std::size_t a = 0; a < terms.size(); ++a)
    for (std::size_t b = a + 1; b < terms.size(); ++b)
      most = std::max(most, distinct_sums(terms[a].coefficient, c.size[terms[a].dimension], terms[b].coefficient,
                                          c.size[terms[b].dimension]));
  return static_cast<double>(most);
}

// Writes what is known of one tensor. row[0]: words that all iterations outside fetch, if nothing is reused; row[1]:
// the share of them that is fetched in every order; and of a sliding tensor from row[2] on: the halo shares by class,
// as halo_shares(). With these numbers the ordering bound is no higher than for any tile of a box: all multiples of
// `first` that divide `last`. `outside`: box_loops() of the box.
void least_fresh_words(const LoopClasses& classes, const Compiled& c, const CompiledTensor& t,
                       const LatticePoint& first, const LatticePoint& last, const LoopSet& outside, double* row) {
  double without_reuse = 1, full_reuse = irrelevant_share(c, t, outside);
  double* const halo = row + 2;
  if (t.sliding) std::fill_n(halo, classes.count(), 1.0);
  const auto reuse_along = [&](unsigned dimensions, double share) {
    for (const int d : bits(dimensions))
      if (first.extent[d] < c.size[d]) halo[classes.of(d)] = std::min(halo[classes.of(d)], share);
    full_reuse *= share;
  };
  for (int d = 0; d < c.dimension_count; ++d)
    if (!contains(t.indexing, d)) without_reuse *= outside.n[d];
  if (t.entangled) {
    double moving = 1;
    for (const int d : bits(t.indexing)) moving *= outside.n[d];
    without_reuse *= static_cast<double>(box_words(t, first.extent)) * moving;
    if (t.sliding) reuse_along(t.indexing, 1 / moving);
  } else {
    for (int k = 0; k < t.plain_count; ++k) without_reuse *= c.size[t.plain[k]];
    for (std::size_t k = 0; k < t.term_count;) {
      const std::size_t begin = k;
      while (k < t.term_count && t.term[k].rank == t.term[begin].rank) ++k;
      const Terms terms(&t.term[begin], k - begin);
      const double words = least_along(c, terms, first.extent, last.extent);
      without_reuse *= words;
      if (terms.size() > 1) reuse_along(t.sharing[terms[0].rank], std::min(1.0, positions(c, terms) / words));
    }
  }
  row[0] = without_reuse;
  row[1] = full_reuse;
}

}  // namespace

LoopSet box_loops(const LoopClasses& classes, const Compiled& c, const LatticePoint& first, const LatticePoint& last) {
  LoopSet out(classes, c, last.extent, c.size);
  for (int d = 0; d < c.dimension_count; ++d)
    if (first.extent[d] < c.size[d]) out.present |= dimension_bit(static_cast<int>(classes.of(d)));
  return out;
}

RestBounds::RestBounds(const FlowCosts& model, const std::function<bool()>& stop)
    : m_(model), c_(*model.compiled), classes_(c_) {
  for (std::size_t k = 0; k < m_.channels.size(); ++k)
    if (m_.channels[k].kind == Channel::Kind::Shared) least_sharing_[k] = m_.level[m_.channels[k].level].least_sharing;
  build_spreads(stop);
  fill_.resize(at(m_.levels())), serve_.resize(at(m_.levels()));
  for (std::size_t i = 0; i < fill_.size(); ++i)
    for (std::size_t k = 0; k < m_.channels.size(); ++k)
      for (std::size_t v = 0; v < at(c_.tensor_count); ++v) {
        fill_[i][k][v] = of(m_.least.level[i].fill[v], k);
        serve_[i][k][v] = of(m_.least.level[i].serve[v], k);
      }
  double reducing = 1;
  for (int i = m_.levels() - 1; i >= 0; --i) {
    reducing_outside_[i] = reducing;
    reducing *= m_.fanout[i].most_reducing;
  }
  with_.resize(at(m_.levels())), below_.resize(at(m_.levels())), after_.resize(at(m_.levels()));
  fresh_.resize(at(m_.levels()));
  for (int i = m_.levels() - 1; i >= 0 && complete_; --i) build_level(i, stop);
}

u64 RestBounds::bytes(const FlowCosts& m) {
  const u64 cells = m.lattice.grid().cells(), levels = static_cast<u64>(m.levels());
  const auto tensors = static_cast<u64>(m.compiled->tensor_count);
  u64 numbers = cells;  // the receivers
  for (std::size_t f = 0; f < m.fanout.size(); ++f) numbers += m.fanout[f].exists ? cells * f * tensors : 0;
  for (int i = 0; i < m.levels(); ++i) {
    const u64 values = cells * m.servers.count(i - 1);
    u64 channels = 1;  // with tables
    for (std::size_t k = 1; k < m.channels.size() && values <= kMaxCycleValues; ++k)
      channels += m.channels[k].kind != Channel::Kind::Shared;
    numbers += values * ((2 + m.fanout[i].exists) * channels + tensors);
  }
  const u64 row = tensors * (2 + static_cast<u64>(m.compiled->dimension_count));
  return m.lattice.grid().bytes() + sizeof(double) * (numbers + levels * std::min(cells * row, kMaxRowValues));
}

bool RestBounds::reuses(int level, int tensor) const {
  if ((m_.problem->space.levels[level].temporal.allowed & ~c_.tensor[tensor].indexing) == 0) return false;
  for (int i = 0; i < level; ++i)
    if (contains(m_.starting(i, m_.keep.may[i]), tensor)) return true;
  return false;
}

double RestBounds::least_below(int level, u32 servers) const {
  const Table& table = below_[level][0];
  const std::size_t sets = m_.servers.count(level - 1);
  double least = kImpossible;
  for (std::size_t k = servers; k < table.size(); k += sets) least = std::min(least, table[k]);
  return least;
}

std::size_t RestBounds::row_width(int level) const {
  std::size_t out = 0;
  for (const int v : bits(m_.keep.may[level])) out += part_width(v);
  return out;
}

void RestBounds::compute_fresh(int level, const LatticePoint& tile, const LoopSet& outside, double* row) const {
  double iterations = 1;
  for (int d = 0; d < c_.dimension_count; ++d) iterations *= outside.n[d];
  for (const int tensor : bits(m_.keep.may[level])) {
    const CompiledTensor& t = c_.tensor[tensor];
    double full_reuse = irrelevant_share(c_, t, outside);
    if (t.sliding) full_reuse *= halo_shares(classes_, t, box_extent(t, tile.extent), tile.extent, outside, row + 2);
    row[0] = static_cast<double>(box_words(t, tile.extent)) * iterations;
    row[1] = full_reuse;
    row += part_width(tensor);
  }
}

void RestBounds::compute_least_fresh(int level, const LatticePoint& first, const LatticePoint& last,
                                     const LoopSet& outside, double* row) const {
  for (const int tensor : bits(m_.keep.may[level])) {
    const CompiledTensor& t = c_.tensor[tensor];
    least_fresh_words(classes_, c_, t, first, last, outside, row);
    row += part_width(tensor);
  }
}

const double* RestBounds::fresh(int level, const LatticePoint& tile, const LoopSet& outside, FreshRow& row) const {
  const Table& table = fresh_[level];
  if (!table.empty()) return table.data() + tile.index * row_width(level);
  if (level + 1 < m_.levels()) compute_fresh(level, tile, outside, row.data());
  return row.data();
}

BoundFlow RestBounds::fresh_flow(int level, int tensor, int server, std::size_t channel, u64 left,
                                 const double* part) const {
  const double fill = fill_[level][channel][tensor];
  double serve = serve_[server][channel][tensor], spreading = serve * spread(level, server, tensor, left);
  for (const int i : bits(m_.interconnects(level, server))) {
    serve += serve_[i][channel][tensor];
    spreading += serve_[i][channel][tensor] * spread(level, i, tensor, left);
  }
  return {classes_.indexing(at(tensor)), part[0] * (fill + spreading), c_.tensor[tensor].sliding ? part + 2 : nullptr,
          part[0] * (fill + serve) * part[1]};
}

void RestBounds::append_fresh(int level, u32 before, u32 after, std::size_t channel, u64 tile, const double* row,
                              BoundFlows& flows) const {
  if (level + 1 == m_.levels()) return;  // nothing leaves the outermost level
  const TensorMask kept = m_.servers.kept(level, before);
  const u64 left = m_.lattice.full().index - tile;
  for (const int v : bits(m_.keep.may[level])) {
    if (contains(kept, v))
      flows.append_if_any(fresh_flow(level, v, m_.servers.server(level, after, v), channel, left, row));
    row += part_width(v);
  }
}

double RestBounds::refund(int level, u32 before, std::size_t channel) const {
  if (!contains(m_.servers.kept(level, before) & ~m_.keep.must[level], m_.output)) return 0;
  return static_cast<double>(c_.tensor[m_.output].words) * of(m_.least.level[level].refund, channel) *
         reducing_outside_[level];
}

namespace {

constexpr u64 kMostKeptBytes = u64{32} << 20;  // of all tables of one layer
constexpr u64 kKeptShareOfMemory = 16;         // and at most so small a part of what a search may hold

// A family's prices and the room of stacked levels are told by more than what is compared here.
bool are_told_apart(const LayerProblem& problem) {
  return !problem.family && !problem.stack && !problem.unrollings && problem.model.compiled().peers == 0;
}

bool same_unrollings(const FanoutChoices& a, const FanoutChoices& b) {
  return a.exists == b.exists && std::ranges::equal(a.choices, b.choices, [](const auto& one, const auto& other) {
           return one.factor.index == other.factor.index && one.x == other.x && one.y == other.y;
         });
}

// What the tables read of the mapspace besides the keep choices and the unrollings.
bool same_loop_places(const Mapspace& a, const Mapspace& b) {
  return std::ranges::equal(a.levels, b.levels, [](const LevelSpace& one, const LevelSpace& other) {
    return one.temporal.allowed == other.temporal.allowed && one.spatial.allowed_x == other.spatial.allowed_x &&
           one.spatial.allowed_y == other.spatial.allowed_y;
  });
}

}  // namespace

// The tables, and copies of all that they refer to.
struct KeptTables::Entry {
  Entry(const LayerProblem& of, FlowCosts flows, std::shared_ptr<const std::vector<FanoutChoices>> its_fanouts,
        const std::function<bool()>& stop)
      : problem(of), fanouts(std::move(its_fanouts)), model(std::move(flows)) {
    problem.kept_tables.reset();
    model.problem = &problem;
    model.compiled = &problem.model.compiled();
    model.fanout = *fanouts;
    tables.emplace(model, stop);
  }
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;

  bool answers(const LayerProblem& other, const FlowCosts& flows) const {
    return model.compiled == &other.model.compiled() && model.keep == flows.keep &&
           model.peer_fanout == flows.peer_fanout && model.cycles_only == flows.cycles_only &&
           model.timed == flows.timed && model.ramps == flows.ramps &&
           model.lattice.grid().cells() == flows.lattice.grid().cells() &&
           same_loop_places(problem.space, other.space) &&
           std::ranges::equal(model.fanout, flows.fanout, same_unrollings);
  }

  LayerProblem problem;
  std::shared_ptr<const std::vector<FanoutChoices>> fanouts;
  FlowCosts model;
  std::optional<RestBounds> tables;
};

std::shared_ptr<const RestBounds> KeptTables::of(const LayerProblem& problem, const FlowCosts& model,
                                                 std::shared_ptr<const std::vector<FanoutChoices>> fanouts,
                                                 const std::function<bool()>& stop) {
  if (!are_told_apart(problem)) return nullptr;
  // Step 1. What is kept.
  const u64 size = RestBounds::bytes(model) + bytes(*fanouts);
  const u64 most = std::min(kMostKeptBytes, problem.options.memory_bytes / kKeptShareOfMemory);
  {
    const std::lock_guard lock(mutex_);
    for (const auto& entry : entries_)
      if (entry->answers(problem, model)) return {entry, &*entry->tables};
    if (bytes_ + size > most) return nullptr;
  }
  // Step 2. New tables. Another search may make the same at the same time: both are right.
  auto entry = std::make_shared<const Entry>(problem, model, std::move(fanouts), stop);
  const std::lock_guard lock(mutex_);
  if (entry->tables->complete() && bytes_ + size <= most) {
    entries_.push_back(entry);
    bytes_ += size;
  }
  return {entry, &*entry->tables};
}

BegunFlows::BegunFlows(const RestBounds& tables, const FlowCosts& model, int level,
                       std::span<const std::size_t> channels)
    : tables_(tables), m_(model), level_(level), channels_(channels) {}

void BegunFlows::add_set(const std::vector<FromServer>& flows) {
  Set& set = sets_.emplace_back();
  for (const FromServer& flow : flows) set.flows.push_back(priced(flow));
}

BegunFlows::Row BegunFlows::prices(int tensor, bool fills, int level) const {
  Row out{};
  for (std::size_t n = 0; n < channels_.size(); ++n)
    out[n] = fills ? tables_.fill_price(level, channels_[n], tensor) : tables_.serve_price(level, channels_[n], tensor);
  return out;
}

// The number of the flow; its prices are listed when it is first asked for.
std::size_t BegunFlows::priced(FromServer flow) {
  const auto [tensor, server] = flow;
  for (std::size_t f = 0; f < priced_.size(); ++f)
    if (priced_[f].tensor == tensor && priced_[f].servers.front().level == server) return f;
  Priced& out = priced_.emplace_back();
  out.tensor = tensor;
  out.fill = prices(tensor, true, level_);
  out.servers.push_back({server, prices(tensor, false, server)});
  for (const int i : bits(m_.interconnects(level_, server))) out.servers.push_back({i, prices(tensor, false, i)});
  Row serving{};
  for (const Priced::Server& s : out.servers)
    for (std::size_t n = 0; n < serving.size(); ++n) serving[n] += s.price[n];
  for (std::size_t n = 0; n < serving.size(); ++n) out.together[n] = out.fill[n] + serving[n];
  return priced_.size() - 1;
}

// Whether the ordering bound takes some of the flows for one (BoundFlows::append()), or leaves some out.
bool BegunFlows::joins(const Set& set) const {
  if (set.flows.size() > kMaxBoundFlows) return true;
  for (std::size_t a = 0; a < set.flows.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) {
      const int v = priced_[set.flows[a]].tensor, w = priced_[set.flows[b]].tensor;
      const bool slides = m_.compiled->tensor[v].sliding || m_.compiled->tensor[w].sliding;
      if (!slides && tables_.classes().indexing(at(v)) == tables_.classes().indexing(at(w))) return true;
    }
  return false;
}

// The bounds of all flows of a set have those of each part of them.
void BegunFlows::find_wholes() {
  for (Set& set : sets_) set.joined = joins(set);
  for (std::size_t s = 0; s < sets_.size(); ++s) {
    sets_[s].whole = s, sets_[s].part = (1u << sets_[s].flows.size()) - 1;
    for (std::size_t w = 0; w < sets_.size(); ++w) {
      if (sets_[w].flows.size() <= sets_[sets_[s].whole].flows.size() || sets_[w].joined) continue;
      unsigned part = 0;
      for (std::size_t f = 0; f < sets_[w].flows.size(); ++f)
        if (std::ranges::find(sets_[s].flows, sets_[w].flows[f]) != sets_[s].flows.end()) part |= 1u << f;
      if (at(std::popcount(part)) == sets_[s].flows.size()) sets_[s].whole = w, sets_[s].part = part;
    }
  }
}

void BegunFlows::go_to(const LatticePoint& tile, const LoopSet& outside, const double* row,
                       std::span<const std::size_t> part) {
  ++tile_;
  left_ = m_.lattice.full().index - tile.index;
  outside_ = &outside;
  row_ = row;
  part_ = part;
}

const ChannelBounds::Flow& BegunFlows::flow_at_tile(Priced& priced) const {
  if (std::exchange(priced.tile, tile_) == tile_) return priced.flow;
  const double* const words = row_ + part_[at(priced.tensor)];
  ChannelBounds::Flow& out = priced.flow;
  out.relevant = tables_.classes().indexing(at(priced.tensor));
  out.halo = m_.compiled->tensor[priced.tensor].sliding ? words + 2 : nullptr;
  Row serving{};
  for (const Priced::Server& s : priced.servers) {
    const double spread = tables_.spread(level_, s.level, priced.tensor, left_);
    for (std::size_t n = 0; n < serving.size(); ++n) serving[n] += s.price[n] * spread;
  }
  for (std::size_t n = 0; n < serving.size(); ++n) {
    out.without_reuse[n] = words[0] * (priced.fill[n] + serving[n]);
    out.full_reuse[n] = words[0] * priced.together[n] * words[1];
  }
  return out;
}

const BegunFlows::Row& BegunFlows::least(std::size_t number) {
  Set& set = sets_[number];
  Set& whole = sets_[set.whole];
  if (set.whole == number && set.joined) return least_of_joined(set);
  if (std::exchange(whole.tile, tile_) != tile_) {
    std::array<const ChannelBounds::Flow*, kMaxBoundFlows> flows{};
    for (std::size_t f = 0; f < whole.flows.size(); ++f) flows[f] = &flow_at_tile(priced_[whole.flows[f]]);
    whole.bounds.compute({flows.data(), whole.flows.size()}, outside_->of_class, outside_->present, channels_.size());
  }
  return whole.bounds.of(set.part);
}

// Channel by channel.
const BegunFlows::Row& BegunFlows::least_of_joined(Set& set) {
  for (std::size_t n = 0; n < channels_.size(); ++n) {
    BoundFlows flows;
    for (const std::size_t f : set.flows) {
      const ChannelBounds::Flow& flow = flow_at_tile(priced_[f]);
      flows.append_if_any({flow.relevant, flow.without_reuse[n], flow.halo, flow.full_reuse[n]});
    }
    set.alone[n] = flows.least(outside_->of_class, outside_->present);
  }
  return set.alone;
}

}  // namespace heliolite
