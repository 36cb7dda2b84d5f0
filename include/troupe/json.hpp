#pragma once

#include <nlohmann/json.hpp>

#include "troupe/json_fwd.hpp"
