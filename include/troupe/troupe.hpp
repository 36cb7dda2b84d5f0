#pragma once

// Everything a user of Troupe needs.

#include "troupe/data.hpp"
#include "troupe/error.hpp"
#include "troupe/log.hpp"
#include "troupe/loss.hpp"
#include "troupe/model.hpp"
#include "troupe/models.hpp"
#include "troupe/optimizer.hpp"
#include "troupe/predictor.hpp"
#include "troupe/sgd.hpp"
