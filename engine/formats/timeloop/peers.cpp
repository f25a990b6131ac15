#include "engine/formats/timeloop/peers.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/integers.h"
#include "engine/formats/timeloop/loops.h"
#include "engine/formats/timeloop/mapping.h"
#include "engine/model/keep.h"

namespace heliolite {

const std::string_view kTimeloopNoPeers = "no_link_transfer";

const std::string_view kTimeloopHasPeers =
    "link_transfers = off: Timeloop counts them, unless TIMELOOP_DISABLE_LINK_TRANSFERS=1 is set";

void add_timeloop_no_peers(const YamlNode& list, std::vector<std::string>& tensors, Diagnostics& errors) {
  for (const std::string& name : read_tensors(list, errors))
    if (std::ranges::find(tensors, name) == tensors.end()) tensors.push_back(name);
}

std::string timeloop_no_peers_text(const std::vector<std::string>& tensors) {
  std::vector<std::string> names;
  for (const std::string& tensor : tensors) names.push_back(yaml_scalar(tensor));
  return fmt::format("{}: [{}]", kTimeloopNoPeers, fmt::join(names, ", "));
}

// Timeloop lets all tensors take them at every fan-out, so all that do not are named.
Mapping peers_said(const Mapping& mapping, const Workload& workload, const Architecture& architecture) {
  Mapping said = mapping;
  const auto all = static_cast<TensorMask>((1u << workload.tensors.size()) - 1);
  for (std::size_t i = 0; i < architecture.levels.size(); ++i) {
    const StorageLevel& level = architecture.levels[i];
    const KeepRule excluded{level.constraints.spatial.no_peers, {}};
    TensorMask& no_peers = said.no_peers[i];
    for (std::size_t v = 0; v < workload.tensors.size(); ++v)
      if (keep_choice(excluded, workload, static_cast<int>(v)) == KeepChoice::Keep)
        no_peers = static_cast<TensorMask>(no_peers | 1u << v);
    if (!architecture.peer_channel) no_peers = all;
    if (level.fanout_x * level.fanout_y == 1) no_peers = 0;
  }
  return said;
}

}  // namespace heliolite
