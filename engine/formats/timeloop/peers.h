#pragma once
// What Timeloop's files say of words that units take from each other, in its own spelling: link transfers, which it
// counts unless it is told not to, and the tensors that take none. The other readers and writers of this folder know
// them as the channel between peers (arch/peer_channel.h).
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/yaml_node.h"

namespace heliolite {

// The key of a spatial constraint or directive, and the type of a target, that lists the tensors without.
extern const std::string_view kTimeloopNoPeers;

// What is noted of a machine whose units take nothing from each other: no file says so.
extern const std::string_view kTimeloopHasPeers;

// Adds the tensors that such a list names and that are not there yet.
void add_timeloop_no_peers(const YamlNode& list, std::vector<std::string>& tensors, Diagnostics& errors);

// "no_link_transfer: [A, B]".
std::string timeloop_no_peers_text(const std::vector<std::string>& tensors);

}  // namespace heliolite
