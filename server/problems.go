package server

import "github.com/kedge-opt/kedge/session"

// problemType is what there is to know about one kind of problem: its page says it.
type problemType struct {
	name   string
	status int
	title  string
	cause  string
	effect string // on the population
	remedy string
	try    string // a line to type, of a loop called shop; {server} is where the page was read
}

// waits tells whether the same message will be taken later.
func (t problemType) waits() bool { return t.status == 429 || t.status == 503 || t.status == 507 }

// Problems that the server itself has.
const (
	unauthenticated = "unauthenticated"
	forbidden       = "forbidden"
	noMethod        = "method-not-allowed"
	noFormat        = "not-acceptable"
	tooSlow         = "too-slow"
	unsupported     = "unsupported-type"
	wrongHost       = "wrong-host"
	needsMatch      = "revision-needed"
	tooMany         = "too-many-requests"
	longHeader      = "header-too-large"
	fault           = "fault"
	Elsewhere       = "elsewhere"
	overloaded      = "overloaded"
	readOnly        = "read-only"
	starting        = "starting"
	journalLost     = "journal-lost"
	diskFull        = "disk-full"
)

const (
	noEffect = "None: nothing was stored, and what is live stays live."
	noStep   = "None: no step was taken, and what is live stays live."
)

// problemTypes are all of them; each has a page of the server.
func problemTypes() []problemType {
	return []problemType{
		{session.Malformed, 400, "The message cannot be read", "The body or a parameter is not what the call takes: no JSON, a key that it does not have, a value of another kind, or lists that are too deep.", noEffect, "Send what the schema of the call in /openapi.json shows. Where a place in the message is known, errors points at it.", "curl -s {server}/openapi.json"},
		{unauthenticated, 401, "The server wants a key", "The request has no key, or one that is unknown, revoked or expired.", "None: nothing was stored, and what is live stays live. A system that is locked out goes on with the last decision it was told.", "Send Authorization: Bearer and a key that kedge key create has printed.", "curl -s {server}/v1/login"},
		{forbidden, 403, "That is not allowed", "The key lacks the right that the call needs, or is for other loops, or a browser sent the request from a page of another site.", noEffect, "Use a key that has the right, which kedge key list shows, or call from a program or from the server's own pages.", "curl -s {server}/v1/keys"},
		{session.NotFound, 404, "There is no such thing", "No loop, decision or page of that name is there, or the key may not know of it.", noEffect, "Look at the loop and its newest decision: GET /v1/loops/{loop}.", "curl -s {server}/v1/loops"},
		{noMethod, 405, "The address knows other methods", "The address is right and the method is not.", noEffect, "The reply names the methods in Allow.", "curl -si -X DELETE {server}/v1/heads"},
		{noFormat, 406, "The reply has another format", "Accept names only formats that the call does not answer in.", noEffect, "Accept application/json, or text/event-stream of a stream.", "curl -s -H 'Accept: application/json' {server}/v1/loops"},
		{tooSlow, 408, "The body came too slowly", "Fewer bytes came than the limits of GET /version want a second.", noEffect, "Send smaller batches if the line is slow; the same batch again is safe.", "curl -s {server}/version"},
		{session.StaleEpoch, 409, "The loop was begun anew or restored since", "The message carries the epoch of a history that is no longer the loop's.", "What the old epoch decided no longer counts. What is live stays live until somebody deploys.", "Ask again, and send what belongs to the new epoch.", "curl -s -X POST {server}/v1/loops/shop/ask"},
		{session.NotOpen, 409, "The decision is past that", "It was closed, rejected, abandoned or superseded, or its time has lapsed.", noStep, "The field state says how it ended. Ask for the current one.", "curl -s -X POST {server}/v1/loops/shop/ask"},
		{session.NotDeployed, 409, "Nobody has said that the decision is live", "A close needs to know what people met.", noStep, "Tell its deployment first, then close it.", `curl -s -X PUT {server}/v1/loops/shop/decisions/1/deployment -d '{"u":[3,3]}'`},
		{session.DeploymentConflict, 409, "Something else was said to be live", "The decision has a deployment with another u, or of another time.", "What was said first counts: gradients are taken there.", "Send correct: true with what really is live, before the decision is closed.", `curl -s -X PUT {server}/v1/loops/shop/decisions/1/deployment -d '{"u":[3,3.01],"correct":true}'`},
		{session.BatchConflict, 409, "The batch was told with other content", "A batch of that name is there, and its hash is another.", "Those people who came first count; of these none was stored.", "Give every batch a name of its own. The same people again, in any format, have the same hash.", "curl -s {server}/v1/loops/shop/decisions/1/batches"},
		{session.Incomplete, 409, "Not all that is expected is there", "The close expects more rows or batches than have been told.", noStep, "Tell the rest, or close without expecting it.", "curl -s {server}/v1/loops/shop/decisions/1/batches"},
		{session.NameTaken, 409, "A loop of that name has another spec", "Names are taken until a loop is archived and removed.", noEffect, "Choose another name, or revise the spec of that loop.", "kedge loop list --server {server}"},
		{session.WrongMode, 409, "The mode of the loop does not allow it", "The field detail says which mode it is in.", noEffect, "Pause, resume, shadow or promote the loop first.", "kedge loop show shop --server {server}"},
		{session.KeyReused, 409, "The idempotency key was used for something else", "An earlier request with the same Idempotency-Key had another body.", "The first request has had its effect, this one has none.", "Make a new key for every new wish.", "curl -s {server}/v1/loops/shop/log"},
		{session.IsArchived, 410, "The loop is archived", "Somebody ended it.", "What is live stays live, and nobody decides.", "Its log stays. Make another loop to go on.", "kedge loop list --server {server}"},
		{session.StaleRevision, 412, "The spec was revised meanwhile", "If-Match names a revision that is not the newest.", noEffect, "Read the loop again and send its revision in If-Match.", "curl -si {server}/v1/loops/shop"},
		{session.TooLarge, 413, "That is too much at once", "The message is beyond a limit: bytes, rows, how far gzip unpacks, batches or rows of the decision, loops.", noEffect, "GET /version has the limits. Split the batch.", "curl -s {server}/version"},
		{unsupported, 415, "The content type is not known", "The body is announced as something that the call does not read.", noEffect, "Batches are application/json, application/x-ndjson, application/vnd.apache.parquet or application/x-npz, the first two also in gzip; all else is application/json.", `curl -s -X PUT {server}/v1/loops/shop/decisions/1/batches/morning -H 'Content-Type: application/x-ndjson' -d '{"p":[7,5],"d":[10,8]}'`},
		{wrongHost, 421, "The server does not go by that name", "The Host of the request is not among its names. That stops pages which pretend to be it.", noEffect, "Call it by the name of its certificate or of --listen, or start it with --host NAME.", "kedge serve --help"},
		{session.DimensionMismatch, 422, "A list does not fit the loop", "A row, a column or a decision is too short, too long or missing, or the loop does not take what it is.", noEffect, "GET /v1/loops/{loop} has the lengths in dims: decision, state, trait; live.samples of the spec says what rows need.", "curl -s {server}/v1/loops/shop"},
		{session.NotFinite, 422, "A number is not finite", "A number is NaN, infinite, null or too large for a double. The pointer says which.", "None: nothing of the batch was stored, so nobody counts twice when it is sent again.", "Leave that person out or mend the number, and send the batch again.", "curl -s {server}/v1/loops/shop/decisions/1/batches"},
		{session.OutsideRange, 422, "A value is outside its range", "The field detail says which one it is, and what it may be.", noEffect, "Mend the value and send the message again.", "curl -s {server}/v1/loops/shop"},
		{session.BadWeights, 422, "Weights cannot be used", "A weight is negative, or all are 0.", noEffect, "Mend the weights, or leave out who does not count.", "kedge spec explain live.samples"},
		{session.BadSpec, 422, "The spec has mistakes", "Each is listed with its line. A spec that is sent can name no file.", "None: the loop keeps the spec it has.", "kedge check finds the same mistakes. Write the numbers of files into the spec.", "kedge spec explain live"},
		{session.Infeasible, 422, "The decision is not feasible", "It is outside the set of the spec.", noEffect, "Choose one inside, or revise the set.", "curl -s {server}/v1/loops/shop/terms"},
		{session.NoSafeDecision, 422, "The spec does not say what is safe", "To go live a loop must know what to answer after a kill, and how far it may move.", "The loop stays in its mode, and what is live stays live.", "Write live.safe and live.cap.norm.", "kedge spec explain live.safe"},
		{needsMatch, 428, "The revision that is changed must be named", "Without If-Match two people could revise the same spec and not see it.", noEffect, "Send If-Match with the revision of the loop.", "curl -si {server}/v1/loops/shop"},
		{tooMany, 429, "The key sends too much", "Requests or bytes a second are beyond what the key may send.", noEffect, "Wait for the time in Retry-After, then send the same message; larger batches less often. kedge serve --key-rate gives keys more.", "curl -s {server}/version"},
		{longHeader, 431, "The headers are too large", "They have more bytes than GET /version says. The reply is plain text, for the request was never read.", noEffect, "Send fewer or shorter headers.", "curl -s {server}/version"},
		{fault, 500, "The server is at fault", "Something happened that was not foreseen; the log of the server has the request.", "Nothing is known to be stored. What is live stays live.", "The same message again is safe.", "curl -s {server}/readyz"},
		{Elsewhere, 501, "That is done elsewhere", "This server or its journal cannot do it; the field detail says who can.", noEffect, "Do what the field detail says.", "kedge backup --help"},
		{overloaded, 503, "Too much is waiting", "More requests, bytes or watchers are at work than the limits of GET /version allow.", noEffect, "Wait for the time in Retry-After, then send the same message.", "curl -s {server}/version"},
		{readOnly, 503, "The journal cannot be written", "A write failed, and after that nobody knows what the disk holds.", "Nothing more is taken, and what is live stays live.", "Look at the disk and start the server again. Nothing that was acknowledged is lost.", "curl -s {server}/readyz"},
		{starting, 503, "The server is about to start or to stop", "It takes nothing new at the moment.", noEffect, "Wait for the time in Retry-After; /readyz says when.", "curl -s {server}/readyz"},
		{journalLost, 503, "The journal is gone", "The server is stopping, or its database cannot be reached.", "Nothing more is taken, and what is live stays live. What was under way may have been stored or not.", "Wait for the time in Retry-After, then send the same message, which is safe; or ask another server.", "curl -s {server}/readyz"},
		{diskFull, 507, "The disk is full", "There is no room for the event.", "Nothing was stored. What is live stays live, and nothing that was acknowledged is lost.", "Make room; the server goes on by itself.", "curl -s {server}/readyz"},
	}
}

func typeOf(name string) problemType {
	for _, t := range problemTypes() {
		if t.name == name {
			return t
		}
	}
	return problemType{name: name, status: 500, title: "The server is at fault"}
}
