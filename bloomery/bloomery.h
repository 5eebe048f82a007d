#pragma once

// The whole library. Each header reads alone; these are where to start:
//
//   filter/blocked_filter.h   the fast filter            store/native_file.h    save, load
//   filter/classic_filter.h   the small one              store/mapped_filter.h  open without
//   loading filter/any_filter.h       a kind chosen at run time  store/filter_editor.h  change a
//   file under a lock filter/sizing.h           bits for a rate            guard/cache_guard.h in
//   front of cache and database filter/rates.h            rates of bits source/open_source.h   keys
//   out of texts and databases

#include "bloomery/errors.h"
#include "bloomery/filter/any_filter.h"
#include "bloomery/filter/batch_filter.h"
#include "bloomery/filter/blocked_filter.h"
#include "bloomery/filter/classic_filter.h"
#include "bloomery/filter/filter_kinds.h"
#include "bloomery/filter/presence.h"
#include "bloomery/filter/rates.h"
#include "bloomery/filter/sizing.h"
#include "bloomery/guard/cache_guard.h"
#include "bloomery/guard/filter_presence.h"
#include "bloomery/guard/memory_cache.h"
#include "bloomery/source/open_source.h"
#include "bloomery/store/filter_editor.h"
#include "bloomery/store/mapped_filter.h"
#include "bloomery/store/native_file.h"
