//! The interface under `/api`: each request goes to its handler, on a thread that may block.

use std::{collections::HashMap, ops::RangeInclusive, sync::Arc};

use axum::{
    Router,
    body::Body,
    extract::{Path, Request, State},
    http::{HeaderMap, Method, StatusCode, Uri, header},
    middleware,
    response::{AppendHeaders, IntoResponse, Response},
    routing::{get, post},
};
use centipawn_core::{Context, Curve, Eval, HumanModel, MoveScheme, PositionScheme, WdlModel, White};
use centipawn_policy::{Kernel, Network};
use centipawn_progress::Cancel;
use centipawn_review::{FormEval, Language, SymbolsForm};
use serde::{Serialize, de::DeserializeOwned};
use shakmaty::Color;

use crate::{
    assets::asset,
    batches,
    body::small,
    documents::{
        AnswerRequest, AttemptRequest, BatchRequest, CurveDocument, CurveRequest, EaseRequest, EnginesDocument,
        GamesRequest, JobsDocument, JudgeRequest, LessonAnswer, LessonRequest, LinesRequest, MiningRequest,
        MistakesRequest, MoveRequest, OwnCurveRow, PeopleDocument, PeopleRequest, PlayerRow, PlayersDocument,
        PositionRequest, PuzzlesRequest, RepetitionRequest, ReviewRequest, SessionDocument, SessionRequest,
        StatusDocument, SymbolsRequest, WhyRequest,
    },
    ease,
    error::ApiError,
    games,
    guard::{guard, peer},
    jobs, positions, puzzles, reviews,
    server::{Server, choice_text, seconds},
    token::Opened,
};

type Shared = State<Arc<Server>>;
type Answer = Result<Response, ApiError>;

/// Jobs of a list.
const LISTED: i64 = 100;
/// Players that are named.
const PLAYERS: usize = 100;

/// All addresses of the server.
pub(crate) fn router(server: &Arc<Server>) -> Router {
    Router::new()
        .route("/api/status", get(status))
        .route("/api/engines", get(engines))
        .route("/api/session", post(session).delete(end_session))
        .route("/api/openapi.json", get(|| async { typed("application/json", include_str!("../openapi.json")) }))
        .route("/api/games", post(add_games))
        .route("/api/games/select", post(select_games))
        .route("/api/games/{id}", get(game))
        .route("/api/reviews", post(request_review))
        .route("/api/reviews/{id}", get(review))
        .route("/api/reviews/{id}/judged", post(judged))
        .route("/api/reviews/{id}/why", post(why))
        .route("/api/batches", get(list_batches).post(request_batch))
        .route("/api/batches/{id}", post(go_on_batch).delete(cancel_batch))
        .route("/api/batches/{id}/pause", post(pause_batch))
        .route("/api/players", get(players))
        .route("/api/profile", get(profile))
        .route("/api/lessons", post(lesson))
        .route("/api/moves", post(judge_move))
        .route("/api/lines", post(lines))
        .route("/api/curve", post(draw_curve))
        .route("/api/curves/plots.svg", get(plots))
        .route("/api/people", post(people))
        .route("/api/symbols", post(symbols))
        .route("/api/ease", post(ease))
        .route("/api/position", post(position))
        .route("/api/puzzles", post(list_puzzles))
        .route("/api/puzzles/import", post(import_puzzles))
        .route("/api/puzzles/mistakes", post(add_mistakes))
        .route("/api/puzzles/attempts.csv", get(attempts))
        .route("/api/puzzles/export/{format}", get(export_puzzles))
        .route("/api/puzzles/{id}", get(puzzle))
        .route("/api/puzzles/{id}/answer", post(answer_puzzle))
        .route("/api/puzzles/{id}/attempt", post(note_attempt))
        .route("/api/puzzles/{id}/repetition", post(set_repetition))
        .route("/api/puzzles/{id}/solution", get(solution))
        .route("/api/mining", post(request_mining))
        .route("/api/jobs", get(list_jobs))
        .route("/api/jobs/{id}", get(job).post(go_on).delete(cancel))
        .route("/api/events", get(events))
        .method_not_allowed_fallback(other_method)
        .fallback(page)
        .layer(middleware::from_fn_with_state(Arc::clone(server), guard))
        .with_state(Arc::clone(server))
}

async fn page(uri: Uri, headers: HeaderMap) -> Response {
    if uri.path().starts_with("/api/") {
        return ApiError::missing("address", uri.path()).into_response();
    }
    asset(uri.path(), &headers)
}

async fn other_method(method: Method, uri: Uri) -> ApiError {
    let error = format!("{} does not take {method}", uri.path());
    ApiError::new(StatusCode::METHOD_NOT_ALLOWED, error, "See /api/openapi.json.")
}

async fn status(State(server): Shared) -> Answer {
    let options = &server.options;
    let named = ["auto", "human", "relevance", "relevance-sigmoid", "lichess", "wintrchess", "tcec", "houdini-6"]
        .map(ToOwned::to_owned);
    let stockfish = WdlModel::stockfish_versions().map(|version| format!("stockfish-{version}"));
    let own_curves = options.own_curves.iter();
    let own_curves = own_curves.map(|own| OwnCurveRow { name: own.name.clone(), has_plots: own.plots.is_some() });
    let own_curves: Vec<OwnCurveRow> = own_curves.collect();
    document(&StatusDocument {
        centipawn: env!("CARGO_PKG_VERSION"),
        engine: options.engine.command.clone(),
        has_engine: centipawn_engine::find(&options.engine.command).is_ok(),
        engines: options.engine.jobs,
        store: server.store.location().to_string(),
        limit: options.review.limit.to_string(),
        curve: choice_text(&options.review.curve),
        scheme: options.review.scheme.to_string(),
        language: options.review.language.to_string(),
        curves: named.into_iter().chain(stockfish).chain(own_curves.iter().map(|own| own.name.clone())).collect(),
        own_curves,
        has_positions: !options.positions.is_empty(),
        schemes: [
            MoveScheme::ALL.map(MoveScheme::name).to_vec(),
            PositionScheme::ALL.map(PositionScheme::name).to_vec(),
        ],
        most_nodes: options.limits.nodes,
        most_lines: options.limits.lines,
    })
}

async fn engines(State(server): Shared) -> Answer {
    blocking(move || {
        let engine = &server.options.engine;
        let network = server.board.network(Network::BUNDLED, Kernel::best())?;
        document(&EnginesDocument {
            engine: engine.command.clone(),
            options: engine.options.clone(),
            processes: engine.jobs,
            network: network.name().to_owned(),
            levels: network.levels().map(RangeInclusive::into_inner),
            store: server.store.stats()?,
            place: server.store.location().to_string(),
            limits: server.options.limits,
        })
    })
    .await
}

/// Exchanges the token or a login code for a session.
async fn session(State(server): Shared, request: Request) -> Answer {
    let (peer, headers) = (peer(&request), request.headers().clone());
    let SessionRequest { token, code } = parsed(&server, request).await?;
    let Some(own) = &server.token else { return document(&SessionDocument { path: String::new() }) };
    let Opened { path, cookie } = own.exchange(code.as_ref().unwrap_or(&token), peer, &headers).await?;
    Ok(([(header::SET_COOKIE, cookie)], document(&SessionDocument { path })?).into_response())
}

/// Ends the session.
async fn end_session(State(server): Shared, headers: HeaderMap) -> Answer {
    let ended = server.token.as_ref().map_or_else(Vec::new, |token| token.end(&headers));
    Ok((AppendHeaders(ended.into_iter().map(|cookie| (header::SET_COOKIE, cookie))), document(&())?).into_response())
}

async fn select_games(State(server): Shared, request: Request) -> Answer {
    let request: GamesRequest = parsed(&server, request).await?;
    blocking(move || document(&games::select(&server, &request)?)).await
}

async fn add_games(State(server): Shared, request: Request) -> Answer {
    let name = input_name(&request);
    let (most, hint) = (server.options.limits.games_bytes, "Compress the games, or give them in parts.");
    let upload = server.uploads.receive(request, most, hint).await?;
    asking(&server, move |server, cancel| document(&games::add(server, &name, &upload, cancel)?)).await
}

/// What the input is called: only for messages, and never a path.
fn input_name(request: &Request) -> String {
    let name = query(request.uri()).remove("name");
    name.as_deref().unwrap_or("pasted text").chars().filter(|c| !c.is_control()).take(100).collect()
}

async fn game(State(server): Shared, Path(id): Path<String>) -> Answer {
    let id = number("game", &id)?;
    blocking(move || document(&games::moves(&server, id)?)).await
}

async fn request_review(State(server): Shared, request: Request) -> Answer {
    let request: ReviewRequest = parsed(&server, request).await?;
    blocking(move || {
        let options = request.review.options(&server)?;
        document(&jobs::request(&server, request.game, &options)?)
    })
    .await
}

/// The review as JSON; with `.pgn` or `.html` behind the number, as that. The parameters of the address judge it, as in a [`JudgeRequest`].
async fn review(State(server): Shared, Path(name): Path<String>, uri: Uri) -> Answer {
    let (id, format) = name.split_once('.').unwrap_or((&name, "json"));
    let (id, format) = (number("review", id)?, format.to_owned());
    let mut given = query(&uri);
    let balance = given.remove("balance").map(|text| text.parse());
    let balance = balance.transpose().map_err(|error| ApiError::bad(error, "Correct the balance."))?;
    let [curve, scheme, language] = ["curve", "scheme", "language"].map(|name| given.remove(name));
    let is_judged = balance.is_some() || [&curve, &scheme, &language].iter().any(|value| value.is_some());
    let judge = JudgeRequest { curve, balance, scheme, language, every_symbol: None };
    blocking(move || {
        let judge = Some(&judge).filter(|_| is_judged);
        let (kind, bytes) = match &*format {
            "json" => ("application/json", reviews::json(&server, id, judge)?),
            "pgn" => ("application/x-chess-pgn", reviews::pgn(&server, id, judge)?),
            "html" => ("text/html; charset=utf-8", reviews::html(&server, id, judge)?),
            _ => return Err(ApiError::missing("format", format)),
        };
        let name = format!("attachment; filename=\"review-{id}.{format}\"");
        // The report contains a script, so it is saved and not opened here.
        Ok(([(header::CONTENT_DISPOSITION, name)], typed(kind, bytes)).into_response())
    })
    .await
}

async fn judged(State(server): Shared, Path(id): Path<String>, request: Request) -> Answer {
    let id = number("review", &id)?;
    let request: JudgeRequest = parsed(&server, request).await?;
    blocking(move || Ok(typed("application/json", reviews::json(&server, id, Some(&request))?))).await
}

async fn why(State(server): Shared, Path(id): Path<String>, request: Request) -> Answer {
    let id = number("review", &id)?;
    let request: WhyRequest = parsed(&server, request).await?;
    blocking(move || document(&reviews::why(&server, id, &request)?)).await
}

async fn judge_move(State(server): Shared, request: Request) -> Answer {
    let request: MoveRequest = parsed(&server, request).await?;
    asking(&server, move |server, cancel| document(&reviews::judge_move(server, &request, cancel)?)).await
}

async fn lines(State(server): Shared, request: Request) -> Answer {
    let request: LinesRequest = parsed(&server, request).await?;
    asking(&server, move |server, cancel| document(&reviews::lines(server, &request, cancel)?)).await
}

async fn draw_curve(State(server): Shared, request: Request) -> Answer {
    let CurveRequest { curve: name, balance, material, ply, eval } = parsed(&server, request).await?;
    let curve =
        server.options.curve(name.as_deref(), balance)?.unwrap_or(Curve::Relevance { balance: Curve::DEFAULT_BALANCE });
    let context = context(material, ply);
    // Quarters of a pawn from −10 to +10.
    let centipawns = || (-40..=40).map(|quarters| 25 * quarters);
    let points = centipawns().map(|cp| f64::from(cp) / 100.0).map(|pawns| (pawns, curve.at(pawns, context)));
    document(&CurveDocument {
        curve: curve.to_string(),
        balance: curve.balance(context),
        points: points.collect(),
        wdl: centipawns().map(|cp| curve.wdl(Eval::<White>::cp(cp), context)).collect(),
        balances: MATERIALS.map(|material| (material, curve.balance(Context { material, ..context }))).collect(),
        score: eval.map(|pawns| curve.at(pawns, context)),
        chances: eval.and_then(|pawns| curve.wdl(Eval::<White>::cp((100.0 * pawns).round() as i32), context)),
    })
}

/// The plots beside an own curve file.
async fn plots(State(server): Shared, uri: Uri) -> Answer {
    let name = query(&uri).remove("name").unwrap_or_default();
    let own = server.options.own_curves.iter().find(|own| own.name == name);
    let plots = own.and_then(|own| own.plots.clone()).ok_or_else(|| ApiError::missing("drawing of the curve", name))?;
    Ok(typed("image/svg+xml", plots))
}

/// Material of a graph over it: where Stockfish's models count games.
const MATERIALS: RangeInclusive<u32> = 17..=78;

/// Ratings of a graph over them lie this far apart.
const RATING_STEP: f64 = 50.0;
/// Most time controls of a graph.
const MOST_TIMES: usize = 10;

async fn people(State(server): Shared, request: Request) -> Answer {
    let PeopleRequest { eval, times } = parsed(&server, request).await?;
    if times.len() > MOST_TIMES {
        return Err(ApiError::bad("too many time controls", format!("Ask for {MOST_TIMES} at most.")));
    }
    let model = HumanModel::default();
    let [first, last] = model.ratings;
    let steps = ((last - first) / RATING_STEP) as u32;
    let ratings: Vec<f64> = (0..=steps).map(|step| first + RATING_STEP * f64::from(step)).collect();
    let times: Vec<f64> = times.iter().map(|time| seconds(time)).collect::<Result<_, _>>()?;
    let by_rating = |&seconds: &f64| -> Vec<f64> {
        ratings.iter().map(|&rating| model.expected_score(eval, rating, seconds, 0.0)).collect()
    };
    let scores = times.iter().map(by_rating).collect();
    document(&PeopleDocument { ratings, scores })
}

async fn ease(State(server): Shared, request: Request) -> Answer {
    let request: EaseRequest = parsed(&server, request).await?;
    asking(&server, move |server, cancel| document(&ease::judge(server, &request, cancel)?)).await
}

async fn position(State(server): Shared, request: Request) -> Answer {
    let request: PositionRequest = parsed(&server, request).await?;
    asking(&server, move |server, cancel| document(&positions::look_up(server, &request, cancel)?)).await
}

/// The context of a request; by default the middle of a game.
fn context(material: Option<u32>, ply: Option<u32>) -> Context {
    let middle = Context::default();
    Context { material: material.unwrap_or(middle.material), ply: ply.unwrap_or(middle.ply) }
}

async fn symbols(State(server): Shared, request: Request) -> Answer {
    let request: SymbolsRequest = parsed(&server, request).await?;
    document(&form(&server, &request)?.document())
}

fn form(server: &Server, request: &SymbolsRequest) -> Result<SymbolsForm, ApiError> {
    let eval =
        |text: &str| text.trim().parse::<FormEval>().map_err(|error| ApiError::bad(error, "Correct the number."));
    let side = match &*request.side {
        "white" | "" => Color::White,
        "black" => Color::Black,
        _ => return Err(ApiError::bad("a side is white or black", "Choose one.")),
    };
    let second = request.second.as_deref().filter(|text| !text.trim().is_empty()).map(eval).transpose()?;
    let curve = server
        .options
        .curve(request.curve.as_deref(), request.balance)?
        .unwrap_or(Curve::Relevance { balance: Curve::DEFAULT_BALANCE });
    let context = context(request.material, request.ply);
    SymbolsForm::new(side, eval(&request.played)?, eval(&request.best)?, second, curve, context)
        .map_err(|error| ApiError::bad(error, "Exchange the two."))
}

async fn list_batches(State(server): Shared) -> Answer {
    blocking(move || document(&batches::list(&server)?)).await
}

async fn request_batch(State(server): Shared, request: Request) -> Answer {
    let request: BatchRequest = parsed(&server, request).await?;
    blocking(move || document(&batches::request(&server, &request)?)).await
}

async fn go_on_batch(State(server): Shared, Path(id): Path<String>) -> Answer {
    let id = number("batch", &id)?;
    blocking(move || document(&batches::go_on(&server, id)?)).await
}

async fn pause_batch(State(server): Shared, Path(id): Path<String>) -> Answer {
    let id = number("batch", &id)?;
    blocking(move || document(&batches::pause(&server, id)?)).await
}

async fn cancel_batch(State(server): Shared, Path(id): Path<String>) -> Answer {
    let id = number("batch", &id)?;
    blocking(move || document(&batches::cancel(&server, id)?)).await
}

async fn players(State(server): Shared) -> Answer {
    blocking(move || {
        let players = server.library.players(PLAYERS)?;
        let players = players.into_iter().map(|(name, games)| PlayerRow { name, games }).collect();
        document(&PlayersDocument { players })
    })
    .await
}

/// The profile of `?player=…`; `?language=de` sets the language of its texts.
async fn profile(State(server): Shared, uri: Uri) -> Answer {
    let mut given = query(&uri);
    let player = given.remove("player").unwrap_or_default().trim().to_owned();
    let language = given.remove("language");
    blocking(move || {
        if player.is_empty() {
            return Err(ApiError::bad("no player is named", "Give the player's name as in the games."));
        }
        let mut options = server.options.review.clone();
        JudgeRequest { language, ..JudgeRequest::default() }.set(&server, &mut options)?;
        document(&server.library.profile(&player)?.document(options.language))
    })
    .await
}

async fn lesson(State(server): Shared, request: Request) -> Answer {
    let LessonRequest { player, kind, cause } = parsed(&server, request).await?;
    blocking(move || {
        let lesson = server.library.keep_lesson(&player, &kind, &cause, puzzles::now())?;
        if lesson.own.is_empty() && lesson.others.is_empty() {
            let hint = "Take a cause of the player's profile, of a game that was reviewed by an engine.";
            return Err(ApiError::bad("there is no puzzle for this lesson", hint));
        }
        document(&LessonAnswer { own: lesson.own, others: lesson.others })
    })
    .await
}

async fn list_puzzles(State(server): Shared, request: Request) -> Answer {
    let request: PuzzlesRequest = parsed(&server, request).await?;
    blocking(move || document(&puzzles::list(&server, &request)?)).await
}

async fn import_puzzles(State(server): Shared, request: Request) -> Answer {
    let name = input_name(&request);
    let (most, hint) = (server.options.limits.games_bytes, "Compress the puzzles, or give them in parts.");
    let upload = server.uploads.receive(request, most, hint).await?;
    blocking(move || document(&puzzles::add(&server, &name, &upload)?)).await
}

async fn add_mistakes(State(server): Shared, request: Request) -> Answer {
    let request: MistakesRequest = parsed(&server, request).await?;
    blocking(move || document(&puzzles::add_mistakes(&server, &request)?)).await
}

async fn attempts(State(server): Shared) -> Answer {
    blocking(move || {
        let name = "attachment; filename=\"attempts.csv\"";
        let text = typed("text/csv; charset=utf-8", puzzles::attempts(&server)?);
        Ok(([(header::CONTENT_DISPOSITION, name)], text).into_response())
    })
    .await
}

/// Puzzles as a file: `csv`, `json`, `pgn`, or `anki` with `?language=de` for its texts.
async fn export_puzzles(State(server): Shared, Path(format): Path<String>, uri: Uri) -> Answer {
    let mut given = query(&uri);
    let (theme, rating, origin) = (given.remove("theme"), given.remove("rating"), given.remove("origin"));
    let only = given.remove("only").map(|text| text.split(',').map(|id| number("puzzle", id)).collect()).transpose()?;
    let request = PuzzlesRequest { theme, rating, origin, only, ..PuzzlesRequest::default() };
    let language = given.remove("language").map(|text| text.parse::<Language>()).transpose();
    let language = language.map_err(|error| ApiError::bad(error, "Choose en or de."))?.unwrap_or_default();
    let format = match &*format {
        "anki" => puzzles::FileFormat::Anki(language),
        other => {
            let unknown =
                |_| ApiError::bad(format!("puzzles have no format {other:?}"), "Ask for csv, json, pgn or anki.");
            puzzles::FileFormat::Puzzles(other.parse().map_err(unknown)?)
        }
    };
    blocking(move || {
        let (kind, end) = format.names();
        let name = format!("attachment; filename=\"puzzles.{end}\"");
        let text = typed(kind, puzzles::export(&server, &request, format)?);
        Ok(([(header::CONTENT_DISPOSITION, name)], text).into_response())
    })
    .await
}

async fn puzzle(State(server): Shared, Path(id): Path<String>) -> Answer {
    let id = number("puzzle", &id)?;
    blocking(move || document(&puzzles::pose(&server, id)?)).await
}

async fn answer_puzzle(State(server): Shared, Path(id): Path<String>, request: Request) -> Answer {
    let id = number("puzzle", &id)?;
    let request: AnswerRequest = parsed(&server, request).await?;
    asking(&server, move |server, cancel| document(&puzzles::answer(server, id, &request, cancel)?)).await
}

async fn note_attempt(State(server): Shared, Path(id): Path<String>, request: Request) -> Answer {
    let id = number("puzzle", &id)?;
    let request: AttemptRequest = parsed(&server, request).await?;
    blocking(move || document(&puzzles::note(&server, id, &request)?)).await
}

async fn set_repetition(State(server): Shared, Path(id): Path<String>, request: Request) -> Answer {
    let id = number("puzzle", &id)?;
    let RepetitionRequest { repeat } = parsed(&server, request).await?;
    blocking(move || document(&puzzles::set_repetition(&server, id, repeat)?)).await
}

async fn solution(State(server): Shared, Path(id): Path<String>) -> Answer {
    let id = number("puzzle", &id)?;
    blocking(move || document(&puzzles::solution(&server, id)?)).await
}

async fn request_mining(State(server): Shared, request: Request) -> Answer {
    let request: MiningRequest = parsed(&server, request).await?;
    blocking(move || document(&jobs::request_mining(&server, &request)?)).await
}

async fn list_jobs(State(server): Shared) -> Answer {
    blocking(move || {
        let mut jobs = server.library.jobs(LISTED)?;
        // A batch may have made many newer ones.
        for id in jobs::under_way(&server) {
            if jobs.iter().all(|job| job.id != id) {
                jobs.extend(jobs::find(&server, id).ok());
            }
        }
        let jobs = jobs.iter().map(|job| jobs::document(&server, job)).collect::<Result<_, _>>()?;
        document(&JobsDocument { jobs })
    })
    .await
}

async fn job(State(server): Shared, Path(id): Path<String>) -> Answer {
    let id = number("job", &id)?;
    blocking(move || document(&jobs::document(&server, &jobs::find(&server, id)?)?)).await
}

async fn go_on(State(server): Shared, Path(id): Path<String>) -> Answer {
    let id = number("job", &id)?;
    blocking(move || document(&jobs::go_on(&server, jobs::find(&server, id)?)?)).await
}

async fn cancel(State(server): Shared, Path(id): Path<String>) -> Answer {
    let id = number("job", &id)?;
    blocking(move || document(&jobs::cancel(&server, id)?)).await
}

/// A stream; with `?after=N`, the events after the Nth, at once.
async fn events(State(server): Shared, uri: Uri) -> Answer {
    match query(&uri).remove("after") {
        Some(after) => document(&server.events.after(number("event", &after)?.unsigned_abs())),
        None => Ok(typed("text/event-stream", server.events.stream()?)),
    }
}

/// Runs `work` on a thread that may block. A panic costs this request.
async fn blocking(work: impl FnOnce() -> Answer + Send + 'static) -> Answer {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|_| {
        let hint = "Please report it; other requests are not affected.";
        Err(ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "the request failed inside Centipawn", hint))
    })
}

/// Runs `work` that asks an engine or a site; when the browser goes away, it stops.
async fn asking(server: &Arc<Server>, work: impl FnOnce(&Server, &Cancel) -> Answer + Send + 'static) -> Answer {
    struct OnLeave(Cancel);
    impl Drop for OnLeave {
        fn drop(&mut self) {
            self.0.set();
        }
    }
    let cancel = server.cancel.child();
    let on_leave = OnLeave(cancel.clone());
    let server = Arc::clone(server);
    let answer = blocking(move || work(&server, &cancel)).await;
    drop(on_leave);
    answer
}

/// A request's body as JSON.
async fn parsed<T: DeserializeOwned>(server: &Server, request: Request) -> Result<T, ApiError> {
    let bytes = small(request, server.options.limits.request_bytes, "Ask for less.").await?;
    serde_json::from_slice(&bytes)
        .map_err(|error| ApiError::bad(format!("the request is not understood: {error}"), "See /api/openapi.json."))
}

fn number(what: &str, text: &str) -> Result<i64, ApiError> {
    text.parse().map_err(|_| ApiError::missing(what, text))
}

/// The parameters of an address.
fn query(uri: &Uri) -> HashMap<String, String> {
    let pairs = uri.query().unwrap_or_default().split('&').filter_map(|pair| pair.split_once('='));
    pairs.map(|(name, value)| (name.to_owned(), decoded(value))).collect()
}

/// Decodes `%20` and `+`.
fn decoded(text: &str) -> String {
    let (mut bytes, mut rest) = (Vec::with_capacity(text.len()), text.as_bytes());
    while let [first, tail @ ..] = rest {
        let hex = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
        let coded = (*first == b'%').then(|| tail.get(..2).and_then(hex)).flatten();
        bytes.push(coded.unwrap_or(if *first == b'+' { b' ' } else { *first }));
        rest = if coded.is_some() { &tail[2..] } else { tail };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn document(value: &impl Serialize) -> Answer {
    Ok(typed("application/json", serde_json::to_vec(value)?))
}

fn typed(kind: &'static str, body: impl Into<Body>) -> Response {
    ([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "no-store")], body.into()).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_decoded() {
        let parameters = query(&"/api/games?search=M%C3%BCller+%26%zz&name=a.pgn".parse().unwrap());
        assert_eq!((&*parameters["search"], &*parameters["name"]), ("Müller &%zz", "a.pgn"));
    }
}
