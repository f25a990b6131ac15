#include "engine/search/exact/flow_prices.h"

#include "engine/base/integers.h"
#include "engine/model/storage_cost.h"

namespace heliolite {
namespace {

double per_word(const CompiledLevel& level, const Accesses<double>& of_a_word) {
  return access_units(level, of_a_word) / static_cast<double>(level.block_words);
}

void forget_energy(FlowPrices& prices) {
  prices.constant = 0;
  for (FlowPrices::Level& level : prices.level) {
    for (Channels& fill : level.fill) fill[0] = 0;
    for (Channels& serve : level.serve) serve[0] = 0;
    level.refund[0] = 0;
    level.peer[0] = 0;
  }
}

class MachinePrices {
 public:
  MachinePrices(const FlowCosts& m, const std::vector<LevelChannels>& channels, const Compiled& machine)
      : m_(m), channels_(channels), machine_(machine) {}

  FlowPrices run() const {
    FlowPrices out;
    out.constant = static_cast<double>(machine_.op_units) * m_.macs;
    for (int i = 0; i < m_.levels(); ++i) {
      FlowPrices::Level& level = out.level.emplace_back();
      level.fill.fill(fill(i));
      for (int v = 0; v < machine_.tensor_count; ++v) level.serve[at(v)] = serve(i, v);
      level.refund = refund(i);
      level.peer = peer(i);
    }
    if (m_.cycles_only) forget_energy(out);
    return out;
  }

 private:
  // Of a word that fills the level's tile.
  Channels fill(int i) const {
    return one_access(machine_.level[i], i, {0, 1, 0}, channels_[at(i)].write, machine_.level[i].write_bandwidth);
  }

  // Of a word that the level passes to a neighbour: it reads it.
  Channels peer(int i) const {
    return one_access(machine_.level[i], i, {1, 0, 0}, channels_[at(i)].read, machine_.level[i].read_bandwidth);
  }

  // Of a word that is read or written once, and of its address; `port`: the channel of the bandwidth that it takes.
  Channels one_access(const CompiledLevel& level, int i, const Accesses<double>& access, int port,
                      double bandwidth) const {
    Channels out{};
    out[channels_[at(i)].energy] += per_word(level, access) + static_cast<double>(level.address_units);
    if (port > 0) out[port] += 1 / bandwidth;
    if (channels_[at(i)].shared > 0) out[channels_[at(i)].shared] += 1 / level.shared_bandwidth;
    return out;
  }

  // Of a word of tensor v that the level serves.
  Channels serve(int i, int v) const {
    Channels out{};
    const bool is_output = machine_.tensor[v].is_output;
    const CompiledLevel& level = machine_.level[i];
    out[channels_[at(i)].energy] +=
        per_word(level, serving_one_word<double>(is_output)) + static_cast<double>(level.address_units);
    out[level.is_interconnect ? channels_[at(i)].energy : 0] += static_cast<double>(level.ingress_units);
    if (channels_[at(i)].read > 0) out[channels_[at(i)].read] += 1 / level.read_bandwidth;
    if (channels_[at(i)].write > 0 && is_output) out[channels_[at(i)].write] += 1 / level.write_bandwidth;
    if (channels_[at(i)].shared > 0) out[channels_[at(i)].shared] += (is_output ? 2 : 1) / level.shared_bandwidth;
    return out;
  }

  // First reads of the output, and the fills of first reads further out.
  Channels refund(int i) const {
    Channels out{};
    const CompiledLevel& level = machine_.level[i];
    out[channels_[at(i)].energy] += per_word(level, {1, 0, 0});
    if (m_.fills(i))
      out[channels_[at(i)].energy] += per_word(level, {0, 1, 0}) + static_cast<double>(level.address_units);
    if (channels_[at(i)].read > 0) out[channels_[at(i)].read] += 1 / level.read_bandwidth;
    if (channels_[at(i)].write > 0 && m_.fills(i)) out[channels_[at(i)].write] += 1 / level.write_bandwidth;
    if (channels_[at(i)].shared > 0) out[channels_[at(i)].shared] += (m_.fills(i) ? 2 : 1) / level.shared_bandwidth;
    return out;
  }

  const FlowCosts& m_;
  const std::vector<LevelChannels>& channels_;
  const Compiled& machine_;
};

}  // namespace

FlowPrices flow_prices(const FlowCosts& m, const std::vector<LevelChannels>& channels, const Compiled& machine) {
  return MachinePrices(m, channels, machine).run();
}

}  // namespace heliolite
