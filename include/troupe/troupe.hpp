#pragma once

// Includes every public header of Troupe except the optional ones (troupe/eigen.hpp):
//
//    #include <troupe/troupe.hpp>

#if __cplusplus < 202002L
#error "Troupe needs C++20: compile with -std=c++20"
#endif

#include "troupe/batches.hpp"
#include "troupe/call.hpp"
#include "troupe/data.hpp"
#include "troupe/error.hpp"
#include "troupe/generator.hpp"
#include "troupe/log.hpp"
#include "troupe/loop.hpp"
#include "troupe/loss.hpp"
#include "troupe/metric.hpp"
#include "troupe/model.hpp"
#include "troupe/models.hpp"
#include "troupe/optimizer.hpp"
#include "troupe/pipeline.hpp"
#include "troupe/predictor.hpp"
#include "troupe/safetensors.hpp"
#include "troupe/sgd.hpp"
#include "troupe/trainer.hpp"
#include "troupe/transform.hpp"
#include "troupe/tune.hpp"
#include "troupe/version.hpp"
