#include "engine/search/exact/flow_prices.h"

#include "engine/base/integers.h"
#include "engine/model/multicast.h"
#include "engine/model/storage_cost.h"

namespace heliolite {
namespace {

double parts(const CompiledLevel& level, int v) { return static_cast<double>(level.taken(v, 1)); }
double address(const CompiledLevel& level, int v) { return static_cast<double>(level.units[at(v)].address); }

void forget_energy(FlowPrices& prices) {
  prices.constant = 0;
  for (FlowPrices::Level& level : prices.level) {
    for (Channels& fill : level.fill) fill[0] = 0;
    for (Channels& serve : level.serve) serve[0] = 0;
    for (Channels& peer : level.peer) peer[0] = 0;
    level.refund[0] = 0;
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
      for (int v = 0; v < machine_.tensor_count; ++v) {
        level.fill[at(v)] = fill(i, v);
        level.serve[at(v)] = serve(i, v);
        level.peer[at(v)] = peer(i, v);
      }
      level.refund = refund(i);
    }
    if (m_.cycles_only) forget_energy(out);
    return out;
  }

 private:
  // Of a word of tensor v that fills the level's tile.
  Channels fill(int i, int v) const {
    return one_access(i, v, {0, 1, 0}, channels_[at(i)].write, machine_.level[i].write_bandwidth);
  }

  // Of a word of tensor v that the level passes to a neighbour: it reads it.
  Channels peer(int i, int v) const {
    return one_access(i, v, {1, 0, 0}, channels_[at(i)].read, machine_.level[i].read_bandwidth);
  }

  // Of a word of tensor v that is read or written once, and of its address; `port`: the channel of the bandwidth that
  // it takes.
  Channels one_access(int i, int v, const Accesses<double>& access, int port, double bandwidth) const {
    Channels out{};
    const CompiledLevel& level = machine_.level[i];
    const double size = parts(level, v);
    out[channels_[at(i)].energy] += least_access_units(level, v, access) + address(level, v);
    if (port > 0) out[port] += size / bandwidth;
    if (channels_[at(i)].shared > 0) out[channels_[at(i)].shared] += size / level.shared_bandwidth;
    return out;
  }

  // Of a word of tensor v that the level serves.
  Channels serve(int i, int v) const {
    Channels out{};
    const bool is_output = machine_.tensor[v].is_output;
    const CompiledLevel& level = machine_.level[i];
    const double size = parts(level, v);
    out[channels_[at(i)].energy] +=
        least_access_units(level, v, serving_one_word<double>(is_output)) + address(level, v);
    out[level.is_interconnect ? channels_[at(i)].energy : 0] += entering(i, v) + read_back(i, v);
    if (channels_[at(i)].read > 0) out[channels_[at(i)].read] += size / level.read_bandwidth;
    if (channels_[at(i)].write > 0 && is_output) out[channels_[at(i)].write] += size / level.write_bandwidth;
    if (channels_[at(i)].shared > 0)
      out[channels_[at(i)].shared] += (is_output ? 2 : 1) * size / level.shared_bandwidth;
    return out;
  }

  // First reads of the output, and the fills of first reads further out.
  Channels refund(int i) const {
    Channels out{};
    const int v = m_.output;
    const CompiledLevel& level = machine_.level[i];
    const double size = parts(level, v);
    out[channels_[at(i)].energy] += least_access_units(level, v, {1, 0, 0});
    out[0] += read_back(i, v);
    if (m_.fills(i)) out[channels_[at(i)].energy] += least_access_units(level, v, {0, 1, 0}) + address(level, v);
    if (channels_[at(i)].read > 0) out[channels_[at(i)].read] += size / level.read_bandwidth;
    if (channels_[at(i)].write > 0 && m_.fills(i)) out[channels_[at(i)].write] += size / level.write_bandwidth;
    if (channels_[at(i)].shared > 0)
      out[channels_[at(i)].shared] += (m_.fills(i) ? 2 : 1) * size / level.shared_bandwidth;
    return out;
  }

  // Of a word of tensor v that enters the network below the level, and of a sum that crosses it once more on its way
  // in.
  double entering(int i, int v) const {
    return all_words_cross(machine_, i, v) ? static_cast<double>(machine_.level[i].units[at(v)].ingress) : 0;
  }
  double read_back(int i, int v) const {
    return machine_.tensor[v].is_output && !machine_.level[i].reduces ? entering(i, v) : 0;
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
