#pragma once

// Includes all layers of Troupe, and CustomLayer for layers of your own.

#include "troupe/layers/add.hpp"
#include "troupe/layers/attention.hpp"
#include "troupe/layers/average_pool.hpp"
#include "troupe/layers/batch_norm.hpp"
#include "troupe/layers/convolution.hpp"
#include "troupe/layers/custom_layer.hpp"
#include "troupe/layers/dropout.hpp"
#include "troupe/layers/embedding.hpp"
#include "troupe/layers/flatten.hpp"
#include "troupe/layers/gelu.hpp"
#include "troupe/layers/global_average_pool.hpp"
#include "troupe/layers/layer_norm.hpp"
#include "troupe/layers/linear.hpp"
#include "troupe/layers/max_pool.hpp"
#include "troupe/layers/positions.hpp"
#include "troupe/layers/relu.hpp"
#include "troupe/layers/sigmoid.hpp"
#include "troupe/layers/swiglu.hpp"
#include "troupe/layers/tanh.hpp"
