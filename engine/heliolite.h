#pragma once
// Everything a program needs to use Heliolite as a library: read a machine and a workload, map, evaluate, explain.
//
//   auto network = heliolite::load_network("resnet18");
//   auto machine = heliolite::load_architecture("eyeriss");
//   if (network && machine) auto answer = heliolite::map_network(*network, *machine, {});
#include "arch/architecture.h"           // IWYU pragma: export
#include "arch/load.h"                   // IWYU pragma: export
#include "engine/base/result.h"          // IWYU pragma: export
#include "engine/base/version.h"         // IWYU pragma: export
#include "engine/bounds/lower_bounds.h"  // IWYU pragma: export
#include "engine/model/cost_model.h"     // IWYU pragma: export
#include "engine/model/mapping_check.h"  // IWYU pragma: export
#include "engine/model/mapping_yaml.h"   // IWYU pragma: export
#include "engine/search/map.h"           // IWYU pragma: export
#include "engine/space/mapspace.h"       // IWYU pragma: export
#include "engine/space/order_trie.h"     // IWYU pragma: export
#include "workloads/load.h"              // IWYU pragma: export
#include "workloads/network.h"           // IWYU pragma: export
