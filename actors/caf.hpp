#pragma once

// All contact with CAF goes through this header and the few files that include it. Written against CAF 0.17; what 1.x
// calls otherwise is noted beside each use: the inspect functions of messages.hpp (`f.object(x).fields(...)`), the type
// block there (`CAF_ADD_ATOM` is gone), `state` (a function), `send`/`anon_send` (`mail(...).send(to)`), the monitor
// below (a callback), and the prefix of configuration keys ("caf.").

#include <caf/all.hpp>
#include <caf/io/all.hpp>

static_assert(CAF_MAJOR_VERSION == 0, "actors/caf.hpp lists what to change for CAF 1.x");
