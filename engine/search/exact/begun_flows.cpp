#include "engine/search/exact/begun_flows.h"

#include <algorithm>
#include <array>
#include <bit>

#include "engine/base/integers.h"
#include "engine/search/exact/rest_bounds.h"

namespace heliolite {

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
