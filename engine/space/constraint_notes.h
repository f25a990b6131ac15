#pragma once
// What of a machine's constraints is read otherwise than it is written, because the layers of a network are not all
// what the machine's author had in mind.
#include <string>
#include <vector>

#include "arch/architecture.h"
#include "engine/inputs/read_options.h"
#include "engine/space/factor_places.h"
#include "engine/space/mapspace.h"
#include "workloads/network.h"

namespace heliolite {

// Machines whose constraints name dimensions as other files do: K and M are both common for output channels, P, OX and
// E for the columns of an output.

// The names that stand for the same thing in files of Timeloop, Eyeriss and ZigZag: N and B; K and M; P, E and OX; Q, F
// and OY; R and FX; S and FY. Each renaming by which the workload, a convolution, has all dimensions that the machine's
// constraints name; none if it has them, if another renaming could be meant as well, or if names would still be
// missing.
std::vector<Rename> fitting_renames(const Workload& workload, const Architecture& architecture);

// For the end of a complaint about a name that the workload lacks: "; --rename i=M", where the dimension is one that
// the machine's constraints do not name. Empty if the user has nothing to choose from.
std::string rename_advice(const Workload& workload, const Architecture& architecture);

// Where a name of the constraints may be a convolution's or a matrix product's (K), and the network has both, it is the
// convolution's: the dimensions of products are called as a convolution's are (M = K, K = C, N = N), with a note.
void fit_products(Network& network, const Architecture& architecture);

// Carries out fitting_renames() for every layer that needs one, and notes what became of which name. A layer without
// output channels (a depthwise one) in a network with layers that have them gets the missing dimension, of size 1,
// which costs nothing. Products too: fit_products().
void fit_names(Network& network, const Architecture& architecture);

// One note of each kind for the whole network, with the layers it is for: words taken by role, words that mean nothing,
// names that could mean two things, factors cut down to a layer's sizes. None if the constraints are lifted. Layers
// that cannot obey the constraints are no part of it: resolve() complains of them.
std::vector<std::string> constraint_notes(const Network& network, const Architecture& architecture,
                                          MapspaceOptions options = {});

// The factors that resolve() cuts down; none if it refuses.
std::vector<CutFactor> cut_factors(const Workload& workload, const Architecture& architecture,
                                   MapspaceOptions options = {});

}  // namespace heliolite
