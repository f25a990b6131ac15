#pragma once
// Everything. A program that needs one thing includes its header alone and compiles faster; docs/library.md says which.
//
//   auto network = heliolite::load_network("resnet18");
//   auto machine = heliolite::load_architecture("eyeriss");
//   if (network && machine) auto answer = heliolite::map_network(*network, *machine, {});
#include <heliolite/architecture.h>  // IWYU pragma: export
#include <heliolite/bound.h>         // IWYU pragma: export
#include <heliolite/co_search.h>     // IWYU pragma: export
#include <heliolite/curve.h>         // IWYU pragma: export
#include <heliolite/evaluate.h>      // IWYU pragma: export
#include <heliolite/map.h>           // IWYU pragma: export
#include <heliolite/mapping.h>       // IWYU pragma: export
#include <heliolite/read_options.h>  // IWYU pragma: export
#include <heliolite/result.h>        // IWYU pragma: export
#include <heliolite/schedule.h>      // IWYU pragma: export
#include <heliolite/space.h>         // IWYU pragma: export
#include <heliolite/sweep.h>         // IWYU pragma: export
#include <heliolite/timeloop.h>      // IWYU pragma: export
#include <heliolite/version.h>       // IWYU pragma: export
#include <heliolite/workload.h>      // IWYU pragma: export
